"""Runs, but never connects."""

import time

time.sleep(600)
