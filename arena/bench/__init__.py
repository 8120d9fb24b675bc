"""How fast the arena is, on this machine: `python -m arena.bench`."""
