"""`python -m arena`: the same as `arena`."""

from arena.cli import main

main()
