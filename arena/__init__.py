"""A battleground for bots: hidden-information games over TCP and JSON."""

__version__ = "0.2.0"
