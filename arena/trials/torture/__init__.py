"""`arena torture`: tries bad habits, each in a run of its own against two honest bots."""
