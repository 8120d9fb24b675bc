"""Bots and machines tried out: one bot in every way, bad habits and attacks, and what a machine has."""
