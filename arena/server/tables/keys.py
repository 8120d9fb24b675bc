"""The keys of seats: each is a secret, told once, of which only a hash is kept."""

from __future__ import annotations

import secrets
from hashlib import sha256

KEY_BYTES = 24


def new_key() -> str:
    """A key that nobody can guess."""
    return secrets.token_urlsafe(KEY_BYTES)


def hash_of(key: str) -> str:
    """What is kept of a key: its SHA-256, in hexadecimal digits."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
