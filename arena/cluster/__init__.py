"""A run whose matches are played on a Dask cluster: `arena run --cluster tcp://HOST:8786`."""
