"""Exits before it has done anything."""

import sys

sys.exit("exits_at_once: goodbye")
