"""Work on several machines, by Dask. Nothing else in Peerage imports it."""
