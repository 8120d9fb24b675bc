"""Asks for a protocol version that does not exist."""

import honest

honest.hello(type="hello", protocol=99)
for _ in honest.messages():
    pass
