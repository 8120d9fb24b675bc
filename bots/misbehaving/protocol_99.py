"""Wants to talk in a protocol that is not spoken."""

import honest

honest.hello(type="hello", protocol=99)
for _ in honest.messages():
    pass
