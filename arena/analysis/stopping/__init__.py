"""Rules that end a tournament or a comparison early, once enough is known."""
