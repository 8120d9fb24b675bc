"""What small seeded tournaments of every game and format came to, in files: proof that a change leaves play as it was.

`kept/` holds the exact columns (results/README.md says which those are) of `matches`, `seats`, `series` and `decisions`
of each tournament in `plans.py`.  The tests play each again: in one go, at four tables, interrupted and resumed.
A change that is meant to alter them regenerates them in a commit of its own, which names the columns:

    python -m tests.golden            plays all, and says what differs from the files
    python -m tests.golden --write    writes the files, and says which columns of which tournaments changed

Everything goes through the command line, the CSVs and `arena.sdk`, so that what is inside may move.
"""
