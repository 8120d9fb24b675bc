"""`arena run`: from its words to its exit code.  Rank 6.5."""
