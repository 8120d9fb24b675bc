"""What is kept of ranges of matches beside a large database, so that tables need not be computed again."""
