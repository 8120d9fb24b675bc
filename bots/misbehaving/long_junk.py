"""Answers every question with 60 kB of incompressible junk, so that its capsules are large."""

import os

from honest import questions, send_raw

for _ in questions():
    send_raw(b'{"junk": "' + os.urandom(30_000).hex().encode() + b'"}\n')
