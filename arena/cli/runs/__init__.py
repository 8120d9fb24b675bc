"""The commands that play, run and compare, from their words to their last ones."""
