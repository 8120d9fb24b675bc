"""Changed bytes from kept ones, by a seed: fuzzing that needs no compiler and is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

_ODD = b"\x00\x01\x0a\x20\x22\x2c\x2d\x5b\x5c\x5d\x7b\x7d\x7f\x80\xed\xf4\xff"


def mutations(
    corpus: Sequence[bytes], words: Sequence[bytes], rng: Random, bytes_max: int
) -> Iterator[bytes]:
    """Endlessly many, each one of the corpus after a few changes."""
    while True:
        data = bytearray(rng.choice(corpus))
        for _ in range(1 + int(rng.expovariate(0.5))):
            _change(data, corpus, words, rng)
        yield bytes(data[:bytes_max])


def _change(data: bytearray, corpus: Sequence[bytes], words: Sequence[bytes], rng: Random) -> None:
    begin = rng.randrange(len(data) + 1)
    end = min(len(data), begin + 1 + int(rng.expovariate(0.1)))
    match rng.randrange(9):
        case 0 if begin < len(data):
            data[begin] ^= 1 << rng.randrange(8)
        case 1 if begin < len(data):
            data[begin] = rng.choice(_ODD)
        case 2:
            data[begin:begin] = rng.randbytes(1 + rng.randrange(4))
        case 3:
            del data[begin:end]
        case 4:
            data[begin:begin] = data[begin:end] * (1 + rng.randrange(3))
        case 5 if words:
            data[begin:begin] = rng.choice(words)
        case 6 if words:
            data[begin:end] = rng.choice(words)
        case 7 if data:  # what comes first decides what all the others mean
            data[min(int(rng.expovariate(0.5)), len(data) - 1)] = rng.randrange(256)
        case _:
            other = rng.choice(corpus)
            data[begin:] = other[rng.randrange(len(other) + 1) :]
