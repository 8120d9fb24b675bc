"""A results folder: whose it is, what it holds, what a run adds to it and how it is written."""
