"""Whether everything in a results folder follows from its seeds and moves: computed again, and compared.

It proves results from moves, and cannot tell who made the moves.
"""
