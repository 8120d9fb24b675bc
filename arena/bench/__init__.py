"""How fast the arena is, on this machine: `arena bench`."""
