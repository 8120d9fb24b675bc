"""Gathers bots before play: gives places to those that connect; builds and tries those that are started."""
