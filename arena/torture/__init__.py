"""`arena torture`: bad habits, each in a run of its own against two honest bots, and what that came to."""
