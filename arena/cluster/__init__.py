"""Plays the matches of a run on a Dask cluster, whose scheduler is at an address such as tcp://HOST:8786."""
