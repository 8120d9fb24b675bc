"""How fast the arena is, figure by figure, and what changed since an earlier run: `python -m tests.bench`."""
