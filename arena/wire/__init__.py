"""The wire: bytes to messages and back, without a socket.

PROTOCOL.md beside this file is the specification for authors of bots.  The modules import no more than
msgspec and arena.errors, because every Python bot pays for them at its start; for the same reason their
frozen data classes are msgspec's and not attrs' (which would be 12 of 50 ms).
"""
