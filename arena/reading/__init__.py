"""Reads what users wrote as checked values: TOML tables, files, durations, addresses."""
