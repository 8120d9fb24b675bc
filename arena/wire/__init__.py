"""The wire: bytes to messages and back, without a socket.

PROTOCOL.md beside this file is the specification for bot authors.  The modules import only msgspec and
arena.errors, because every Python bot pays for them at its start; for the same reason their
frozen data classes are msgspec's and not attrs' (which would take 12 of 50 ms).
"""
