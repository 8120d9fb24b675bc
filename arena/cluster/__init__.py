"""Plays the matches of a run on a Dask cluster: `arena run --cluster tcp://HOST:8786`."""
