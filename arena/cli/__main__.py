"""`python -m arena.cli`: the same as `arena`."""

from arena.cli import main

main()
