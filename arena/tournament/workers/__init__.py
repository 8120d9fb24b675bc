"""Lets other processes play matches: the messages on the pipe, the run's side of it, the worker's side."""
