"""Users of the poker document: names and passwords as Basic auth sends them, kept as scrypt.

A password is hashed in one of at most two threads, behind a bounded queue.  A credential that was right is
remembered under an HMAC whose key this process alone has, so that polling costs no hash; so is a wrong one.
Neither times nor answers tell whether a name exists, except to who tries to take it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil
from typing import TypeAlias

import attrs
import msgspec
import trio

from arena.refusal import Refusal
from arena.server import limits
from arena.server.http.quotas import Quota, Rate, RecentlyUsed
from arena.server.kept.keeping import Keeper
from arena.server.tables.rules import is_name

BASIC_MAX = 1024
"""The most characters of an `Authorization` header: the longest name and password need 500."""
SALT_BYTES, HASH_BYTES = 16, 32
THREADS = 2
HASH_S = 0.1
"""About how long one hash takes, from which waits are guessed."""
_WRONG = "wrong names or passwords came from your address"

HashInThread: TypeAlias = Callable[[Callable[[], bytes]], Awaitable[bytes]]


class Cost(msgspec.Struct, frozen=True):
    """The parameters of scrypt; a user keeps those with which the password was hashed."""

    n: int = 1 << 15
    r: int = 8
    p: int = 1

    def hash(self, password: str, salt: bytes) -> bytes:
        """The hash of a password; takes 0.1 s and 32 MiB, without Python's lock."""
        room = 128 * self.r * (self.n + self.p + 2) + (1 << 20)
        return hashlib.scrypt(
            _octets(password), salt=salt, n=self.n, r=self.r, p=self.p, maxmem=room, dklen=HASH_BYTES
        )


COST = Cost()


@attrs.frozen
class User:
    """Somebody with a name and a password."""

    id: str
    """A GUID."""
    name: str


class _Kept(msgspec.Struct, frozen=True):
    """A user as the keeper has it, in JSON."""

    id: str
    salt: bytes
    digest: bytes
    cost: Cost


def read_basic(header: str) -> tuple[str, str] | None:
    """(name, password) of an `Authorization: Basic` header; None if it is not one that can be read."""
    scheme, _, encoded = header.partition(" ")
    if len(header) > BASIC_MAX or scheme.lower() != "basic":
        return None
    try:
        name, colon, password = base64.b64decode(encoded.strip(" "), validate=True).decode().partition(":")
    except ValueError:
        return None
    is_readable = all(char >= " " and char != "\x7f" for char in name + password)
    return (name, password) if colon and is_readable else None


class Accounts:
    """All users, by name."""

    def __init__(self, keeper: Keeper, *, cost: Cost = COST, in_thread: HashInThread | None = None) -> None:
        """Reads the users, so the keeper must not be running yet.

        `in_thread`: tests in virtual time pass a function that calls its argument.
        """
        self._keeper = keeper
        self._cost = cost
        self._in_thread: HashInThread = in_thread or partial(
            trio.to_thread.run_sync, limiter=trio.CapacityLimiter(THREADS)
        )
        self._users = {name: _read(value, cost) for name, value in keeper.users().items()}
        self._nobody = _Kept("", secrets.token_bytes(SALT_BYTES), secrets.token_bytes(HASH_BYTES), cost)
        """The user whose password is hashed if there is none of that name."""
        self._key = secrets.token_bytes(32)
        self._right: RecentlyUsed[bytes, User] = RecentlyUsed()
        """Credentials, as `_memo` makes them."""
        self._wrong: RecentlyUsed[bytes, bool] = RecentlyUsed()
        self._tried: dict[bytes, trio.Event] = {}
        """Credentials that are being hashed: whoever sends the same ones waits for the same hash."""
        per_address = limits.PASSWORDS_WAITING_PER_ADDRESS
        self._hashing = Quota(per_address, near=per_address, total=limits.PASSWORDS_WAITING)
        """The passwords that are being hashed, or wait for it."""
        self._created = Rate("users_per_address", limits.USERS_AT_ONCE, limits.USERS_PER_S, "new users")
        self._tries = Rate("tries", limits.TRIES_AT_ONCE, limits.TRIES_PER_S, _WRONG)
        """Wrong passwords of each name; one too many counts as a failure of its address."""
        self._failures = Rate("failures_per_address", limits.FAILURES_AT_ONCE, limits.FAILURES_PER_S, _WRONG)

    def __len__(self) -> int:
        return len(self._users)

    async def create(self, name: str, password: str, *, address: str = "") -> str:
        """A new user's GUID, once the user is kept.

        Raises Refusal: bad_request for a name or password that nobody can have, forbidden if the name is
        taken, too_many; unavailable if the disk fails: if that is found out late, the user is there until the
        server ends.
        """
        _check_name(name)
        _check_password(password)
        self._check_free(name)
        self._keeper.check()
        if len(self._users) >= limits.USERS_MAX:
            raise Refusal("too_many", "this server has as many users as it takes", key="users")
        self._created.take(address)
        salt = secrets.token_bytes(SALT_BYTES)
        digest = await self._hashed(self._cost, password, salt, address)
        self._check_free(name)  # somebody else may have taken it meanwhile
        user = _Kept(str(uuid.uuid4()), salt, digest, self._cost)
        self._users[name] = user
        self._right.put(self._memo(name, password), User(user.id, name))
        self._keeper.put_user(name, msgspec.json.encode(user))
        await self._keeper.kept_or_refused()
        return user.id

    async def verify(self, name: str, password: str, *, address: str = "") -> User:
        """The user with this name and password.  Raises Refusal: unauthorized, too_many."""
        if not is_name(name) or len(_octets(password)) > limits.PASSWORD_BYTES_MAX:
            raise _unauthorized()
        memo = self._memo(name, password)
        while (user := self._right.get(memo)) is None:
            if self._wrong.get(memo):
                raise _unauthorized()
            if (tried := self._tried.get(memo)) is not None:
                await tried.wait()
            else:
                await self._try(name, password, memo, address)
        return user

    async def _try(self, name: str, password: str, memo: bytes, address: str) -> None:
        """Finds out whether a name and its password are right, and remembers it."""
        kept = self._users.get(name, self._nobody)
        event = self._tried[memo] = trio.Event()
        try:
            with self._attempt(address, name) as note_failure:
                digest = await self._hashed(kept.cost, password, kept.salt, address)
                if hmac.compare_digest(digest, kept.digest) and kept is not self._nobody:
                    self._right.put(memo, User(kept.id, name))
                else:
                    note_failure()
                    self._wrong.put(memo, True)
        finally:
            del self._tried[memo]
            event.set()

    @contextmanager
    def _attempt(self, address: str, name: str) -> Iterator[Callable[[], None]]:
        """Counts a failure before it is known to be one, as many may be tried at the same time.

        It does not count unless the function that this yields was called.  Nothing is counted for all
        together: else strangers could lock everybody out.  What they cost is bounded by the queue.
        """
        rate, of = self._tries, name
        try:
            rate.take(address, of)
        except Refusal:
            rate, of = self._failures, ""
            rate.take(address)
        failures: list[bool] = []
        try:
            yield lambda: failures.append(True)
        finally:
            if not failures:
                rate.give_back(address, of)

    async def _hashed(self, cost: Cost, password: str, salt: bytes, address: str) -> bytes:
        """The hash, when a thread is free.  Raises Refusal if too many wait for one."""
        if self._hashing.shortage(address):
            wait_s = self._hashing.total * HASH_S / THREADS
            why = f"too many passwords are being checked: wait {ceil(wait_s)} s"
            raise Refusal("too_many", why, key="passwords", seconds=wait_s)
        with self._hashing.counted(address):
            return await self._in_thread(partial(cost.hash, password, salt))

    def _memo(self, name: str, password: str) -> bytes:
        """The digest under which a credential is remembered; one made later for the name has another."""
        salt = self._users.get(name, self._nobody).salt
        return hmac.digest(self._key, b"\0".join((salt, _octets(name), _octets(password))), "sha256")

    def _check_free(self, name: str) -> None:
        if name in self._users:
            raise Refusal("forbidden", f"there is a user {name} already: choose another name", field="name")


def _read(value: bytes, cost: Cost) -> _Kept:
    """A user; one that cannot be read any more has a password that nobody knows, and its name stays taken."""
    try:
        return msgspec.json.decode(value, type=_Kept)
    except msgspec.DecodeError:
        return _Kept("", secrets.token_bytes(SALT_BYTES), secrets.token_bytes(HASH_BYTES), cost)


def _check_name(name: str) -> None:
    if not is_name(name):
        why = f"a name is 1 to {limits.NICKNAME_MAX} printable characters, without spaces at its ends"
        raise Refusal("bad_request", why, field="name")


def _check_password(password: str) -> None:
    if not 1 <= len(_octets(password)) <= limits.PASSWORD_BYTES_MAX:
        why = f"a password is 1 to {limits.PASSWORD_BYTES_MAX} bytes long"
        raise Refusal("bad_request", why, field="password")


def _unauthorized() -> Refusal:
    return Refusal("unauthorized", "the name or the password is wrong", key="basic")


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
