"""Verifies that everything in a results folder follows from its seeds and moves, by computing it again.

It proves results from moves, and cannot tell who made the moves.
"""
