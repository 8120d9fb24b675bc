"""Whole tournaments in virtual time, each a function of one seed: the real lobby, runner and store, and all that
can go wrong around them.

    python -m tests.simulate --worlds 1000 --seed 1     so many runs, from this seed on
    python -m tests.simulate --one 4711               one run, told step by step
    python -m tests.simulate --server …               the same of servers and people at their tables (`houses`)
    python -m tests.simulate --league …               of classes in leagues (`classes`); `--whole`: forty owners

From its seed a run draws a world (`world.py`): a game, a format, bots (`bots.py`), connections (`network.py`), a
disk, kills.  Swarm style: each kind of trouble is on in about half of the runs, so that some have a lot of one kind.
`run.py` plays it, killed and resumed as often as the world says; `checks.py` then says what is wrong.

**A failure** is printed as `seed N: what is wrong`, and the world it happened in.  `--one N` plays the same again,
step by step the same (a test holds that), so that one may print and break wherever one likes.  When it is mended, N
goes into `test_seeds.py` with a line on what it found.

**What a world promises.**  In an *exact* world all that bots do follows from what they are asked, and everybody is
either clearly in time or clearly not: then the tables after any kills must be those of the run without.  In a *wild*
one connections break and answers come about the deadline: then they must only be true to their replays, and blame
nobody but those who earned it.
"""
