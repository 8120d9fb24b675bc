"""`arena torture`: bad habits, each in its own run against two honest bots, and the results."""
