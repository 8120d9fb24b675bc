"""TLS without sockets, and bots' connections over it.

`ssl` on a socket would read for as long as the other end sends what carries no data (new keys), and nobody
else would be served meanwhile.  So `TlsSession` is given bytes of the network, as many as one step of its
connection reads, and returns those to be sent.
"""

from __future__ import annotations

import ssl

import trio

from arena.players.transport import RECEIVE_BYTES, Transport

HANDSHAKE = 22
"""The first byte of all that begins with TLS."""
HANDSHAKE_S = 10.0
"""How long a new connection may take until it is encrypted."""
SILENT_BYTES_MAX = 20_000
"""Bytes of the network that may come without any data; the longest record has 17 kB."""
SEALED_BYTES = 1 << 14
"""How much is encrypted at once for a bot, so that little waits for one that does not read."""
UNREAD_BYTES_MAX = 1 << 16
"""How much may wait for an end that asks for new keys and reads nothing."""


class TlsSession:
    """One connection's TLS: from bytes of the network to what the other end said, and the other way round.

    Its methods raise ssl.SSLError for what is not TLS, or cannot go on.
    """

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._silent_bytes = 0
        self.is_open = False
        """Whether both ends have shaken hands."""
        self.is_ended = False
        """Whether the other end has said that it says no more."""

    def feed(self, octets: bytes) -> None:
        """Takes bytes of the network; goes on with the handshake, or keeps them for `take`."""
        self._silent_bytes += len(octets)
        self._incoming.write(octets)
        if not self.is_open:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                return
            self.is_open = True

    def take(self, most: int) -> bytes:
        """At most `most` bytes of what the other end said; nothing if more of the network is needed."""
        if not self.is_open:
            return b""
        try:
            octets = self._tls.read(most)
            self.is_ended = not octets
        except ssl.SSLWantReadError:
            octets = b""
        except ssl.SSLZeroReturnError:  # we had said goodbye before
            self.is_ended, octets = True, b""
        if octets:
            self._silent_bytes = 0
        elif self._silent_bytes > SILENT_BYTES_MAX:
            raise ssl.SSLError("it says nothing, at length")
        return octets

    @property
    def has_output(self) -> bool:
        """Whether something is to be sent though nobody said anything: a handshake, an alert, new keys."""
        return self._outgoing.pending > 0

    def sealed(self, octets: bytes | memoryview = b"") -> bytes:
        """Bytes for the network: what is to be sent anyway, and after it these, encrypted."""
        rest = memoryview(octets)
        while rest:
            rest = rest[self._tls.write(rest) :]
        return self._outgoing.read()

    def goodbye(self) -> bytes:
        """Bytes for the network after which the other end knows that it has heard everything."""
        try:
            self._tls.unwrap()
        except (ssl.SSLError, ValueError):  # theirs has not come, and need not; or nothing had begun
            pass
        return self._outgoing.read()


class NotSealed(Exception):
    """What somebody says is not TLS: it can be answered as it is."""


class TlsTransport(Transport):
    """A bot's connection over TLS.  Its own task reads it: the switchboard reads sockets as they are."""

    def __init__(self, below: Transport, session: TlsSession) -> None:
        super().__init__()
        self.peer = below.peer
        self._below = below
        self._session = session
        self._sealed = b""
        """What the kernel did not take so far."""
        self._said = 0
        """How many of the bytes that somebody sends are in `_sealed`.

        They count as sent with the last of it, and whoever sends them tries again with the same ones.
        """

    async def shake_hands(self) -> bool:
        """Agrees on encryption; returns whether within `HANDSHAKE_S`.  Raises NotSealed for anything else."""
        is_first = True
        try:
            with trio.move_on_after(HANDSHAKE_S):
                while not self._session.is_open and (octets := await self._below.receive()):
                    if is_first and octets[0] != HANDSHAKE:
                        raise NotSealed
                    is_first = False
                    self._feed(octets)
                    while self._sealed:
                        await self._send_rest()
                return self._session.is_open
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        return False

    def let_in(self) -> None:
        self._below.let_in()

    @property
    def round_trip_s(self) -> float | None:
        return self._below.round_trip_s

    def send_now(self, octets: bytes | memoryview) -> int:
        self._seal(octets)
        self._push()
        return self._done()

    async def send_some(self, octets: memoryview) -> int:
        self._seal(octets)
        while self._sealed:
            await self._send_rest()
        return self._done()

    def _seal(self, octets: bytes | memoryview) -> None:
        if not self._said:
            said = octets[:SEALED_BYTES]
            self._sealed += self._session.sealed(said)
            self._said = len(said)

    def _done(self) -> int:
        if self._sealed:
            return 0
        said, self._said = self._said, 0
        return said

    def _push(self) -> None:
        self._sealed = self._sealed[self._below.send_now(self._sealed) :]

    async def _send_rest(self) -> None:
        sent = await self._below.send_some(memoryview(self._sealed))
        self._sealed = self._sealed[sent:]  # more may have been added meanwhile, not sent: `_feed`

    async def receive(self, most: int = RECEIVE_BYTES) -> bytes:
        session = self._session
        await trio.lowlevel.checkpoint_if_cancelled()
        try:
            if octets := session.take(most):  # more had come than was read at once
                await trio.lowlevel.cancel_shielded_checkpoint()  # what is taken must not be lost
                return octets
            while not session.is_ended and (sealed := await self._below.receive(RECEIVE_BYTES)):
                self._feed(sealed)
                if octets := session.take(most):
                    return octets
        except OSError:  # ssl.SSLError is one
            pass
        return b""

    def _feed(self, octets: bytes) -> None:
        """Takes bytes of the network, and answers what asks for an answer of TLS itself.  Raises OSError."""
        try:
            self._session.feed(octets)
        finally:
            self._sealed += self._session.sealed()
            if not self._said:  # else somebody sends it, who must not find it sent
                self._push()
        if len(self._sealed) > UNREAD_BYTES_MAX + SEALED_BYTES:
            raise OSError("it does not read")

    def close(self) -> None:
        if not self._sealed:
            try:
                self._below.send_now(self._session.goodbye())
            except OSError:
                pass
        self._below.close()
