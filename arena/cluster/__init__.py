"""A run whose matches are played on a Dask cluster, whose scheduler is at an address such as tcp://HOST:8786."""
