"""Whole servers in virtual time, each a function of one seed: tables, the people at them, restarts and disks.

    python -m tests.simulate --server --worlds 10000 --seed 0     so many worlds, from this seed on
    python -m tests.simulate --server --one 4711                  one world, told step by step

The house, its REST and its store are the real ones, without sockets; time and threads are not.  From its seed a
world draws (`world.py`) a game, its people (`minds.py`), a disk that is slow, full or faulty, and when the server
is killed or stopped.  `life.py` is the server from its start to its end, `town.py` starts it again on the same
folder, and `play.py` lets all of it happen.  `ledger.py` has what everybody was told, and says what of it is not
true.  `twins.py` plays two matches that differ only in what a viewer cannot know, at servers that are killed.

**What must hold.**  What was acknowledged is there after a kill.  Whoever sees a table from the same place is told
the same, and what a seat is told is what the rules let it observe of the match that the archive has; twins are the
same bytes to it.  A turn takes one answer of a seat, and none that was meant for another turn.  A match that ends is
archived once.  No exception travels.
"""
