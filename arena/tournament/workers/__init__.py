"""Matches played by other processes: what is said on the pipe, the run's side of it, the worker's side."""
