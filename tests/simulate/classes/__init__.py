"""A class in a league, in virtual time: owners who join and hand bots in, a host, and either half killed.

What is real: the server's leagues with their REST, what it keeps, and the processes' supervision; the playing
process with its schedule, course, books, ratings and messages; the results folder, which `arena verify` reads
in the end.  What stands in: disks, threads, processes (a task, killed by ending it and forgetting what it
writes), and bots, which are scripts that think in virtual time (`bots.py`), so that there is no box.
"""
