"""What happened in a match, in steps and sentences, and moves in words."""
