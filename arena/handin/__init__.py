"""Bots as people hand them in: packed or a single file; unpacked into a folder that its content names."""
