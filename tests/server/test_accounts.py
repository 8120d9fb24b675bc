"""Users: who they are is found out slowly once, and then at once; nobody can make the server find out for ever."""

from __future__ import annotations

import base64
import re
import time
from collections import Counter
from collections.abc import Iterator
from uuid import UUID

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.refusal import Refusal
from arena.server import limits
from arena.server.kept.keeping import Keeper, open_keeper
from arena.server.ring.accounts import COST, Accounts, Cost, User, read_basic

CHEAP = Cost(n=2, r=1, p=1)


class Threads:
    """Stands for two threads, in virtual time: a hash takes 0.1 s."""

    def __init__(self) -> None:
        self.hashes = 0
        self.most_at_once = 0
        self._limiter = trio.CapacityLimiter(2)

    async def __call__(self, hash) -> bytes:
        async with self._limiter:
            self.hashes += 1
            self.most_at_once = max(self.most_at_once, self._limiter.borrowed_tokens)
            await trio.sleep(0.1)
            return hash()


async def at_once(commit) -> None:
    commit()


@pytest.fixture
def threads() -> Threads:
    return Threads()


@pytest.fixture
def keeper(tmp_path) -> Iterator[Keeper]:
    with open_keeper(tmp_path, tell=print, in_thread=at_once) as keeper:
        yield keeper


@pytest.fixture
async def accounts(keeper, threads, nursery) -> Accounts:
    found = Accounts(keeper, cost=CHEAP, in_thread=threads)
    await nursery.start(keeper.run)
    return found


async def refused(kind: str, work, **more) -> Refusal:
    with pytest.raises(Refusal) as error:
        await work
    assert error.value.kind == kind, error.value
    for name, value in more.items():
        assert getattr(error.value, name) == value
    return error.value


# The header.


def basic(text: str | bytes, scheme: str = "Basic ") -> str:
    return scheme + base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (basic("ann:secret"), ("ann", "secret")),
        (basic("ann:secret", "bAsIc  "), ("ann", "secret")),
        (basic("Åse:pässwörd:with:colons"), ("Åse", "pässwörd:with:colons")),
        (basic(":"), ("", "")),
        (basic("no colon"), None),
        (basic(b"ann:\xff\xfe"), None),
        (basic("ann:se\ncret"), None),
        (basic("a\0nn:secret"), None),
        (basic("ann:secret", "Bearer "), None),
        (basic("ann:secret", "Basic"), None),
        ("Basic YW5uOnNlY3JldA", None),
        ("Basic YW5u*nNlY3JldA==", None),
        ("Basic YW5uOn NlY3JldA==", None),
        ("Basic é", None),
        ("Basic", None),
        ("", None),
        (basic("ann:" + "x" * 2000), None),
    ],
)
def test_a_header_is_read_strictly(header, expected):
    """Anything that is not exactly Basic auth in UTF-8, without control characters, is nothing."""
    assert expected == read_basic(header)


@settings(max_examples=50)
@given(st.text(), st.binary())
def test_any_header_is_read_or_not(rest, sent):
    """It never raises, and what is read is what was sent."""
    for header in (rest, f"Basic {rest}", basic(sent)):
        read_basic(header)
    if (found := read_basic(basic(sent))) is not None:
        assert ":".join(found).encode() == sent


# Creating and verifying.


async def test_a_user_who_was_created_is_verified_after_a_restart_too(tmp_path, autojump_clock, threads):
    """By name and password, with the same GUID; the password itself is nowhere in the folder."""
    with open_keeper(tmp_path, tell=print, in_thread=at_once) as keeper:
        async with trio.open_nursery() as nursery:
            accounts = Accounts(keeper, cost=CHEAP, in_thread=threads)
            await nursery.start(keeper.run)
            guid = await accounts.create("ann", "a secret of mine")
            assert str(UUID(guid)) == guid
            assert await accounts.verify("ann", "a secret of mine") == User(guid, "ann")
            await refused("unauthorized", accounts.verify("ann", "a secret of yours"), key="basic")
            await refused("unauthorized", accounts.verify("bob", "a secret of mine"))
            nursery.cancel_scope.cancel()
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())
    with open_keeper(tmp_path, tell=print, in_thread=at_once) as keeper:
        accounts = Accounts(keeper, in_thread=threads)
        assert len(accounts) == 1
        assert await accounts.verify("ann", "a secret of mine") == User(guid, "ann")


async def test_a_user_who_cannot_be_read_costs_nobody_else(keeper, accounts, threads, autojump_clock):
    """Its password is right no more, and nobody else gets its name."""
    await accounts.create("ann", "secret")
    keeper.put_user("bob", b'{"id": 5')
    await keeper.kept()
    accounts = Accounts(keeper, cost=CHEAP, in_thread=threads)
    await accounts.verify("ann", "secret")
    await refused("unauthorized", accounts.verify("bob", "secret"), key="basic")
    await refused("forbidden", accounts.create("bob", "secret"), field="name")


async def test_a_name_is_taken_once(accounts, nursery, autojump_clock):
    """Even by two who ask at the same time; the first one's password stays."""
    made: list[str] = []
    refusals: list[Refusal] = []

    async def create(password: str) -> None:
        try:
            await accounts.create("ann", password)
            made.append(password)
        except Refusal as refusal:
            refusals.append(refusal)

    async with trio.open_nursery() as both:
        both.start_soon(create, "one")
        both.start_soon(create, "two")
    assert [(refusal.status, str(refusal)) for refusal in refusals] == [
        (403, "there is a user ann already: choose another name")
    ]
    assert len(made) == len(accounts) == 1
    await accounts.verify("ann", made[0])


@pytest.mark.parametrize(
    ("name", "password", "field"),
    [
        ("", "x", "name"),
        ("a" * 25, "x", "name"),
        (" ann", "x", "name"),
        ("ann\u202e", "x", "name"),
        ("a\u200bnn", "x", "name"),
        ("\ud800", "x", "name"),
        ("ann", "", "password"),
        ("ann", "x" * 257, "password"),
        ("ann", "é" * 129, "password"),
    ],
)
async def test_what_nobody_can_be_called_is_refused(accounts, threads, name, password, field, autojump_clock):
    """Before it costs a hash; the same in a login is just wrong."""
    refusal = await refused("bad_request", accounts.create(name, password), field=field)
    assert "\n" not in str(refusal)
    if password:
        await refused("unauthorized", accounts.verify(name, password))
    assert threads.hashes <= (field == "password" and len(password) < 200)
    assert len(accounts) == 0


async def test_a_user_who_comes_after_a_wrong_login_is_not_taken_for_it(accounts, autojump_clock):
    """Somebody tries a name and password, then creates just that user."""
    await refused("unauthorized", accounts.verify("ann", "secret"))
    guid = await accounts.create("ann", "secret")
    assert (await accounts.verify("ann", "secret")).id == guid
    accounts._right._values.clear()
    assert (await accounts.verify("ann", "secret")).id == guid


async def test_a_user_who_cannot_be_kept_is_told_so(keeper, accounts, monkeypatch, autojump_clock):
    """503: the user is there, and is lost if the server ends; while the disk fails nobody else is made."""

    def full(changes) -> None:
        raise ConfigError("the disk is full")

    monkeypatch.setattr(keeper, "_commit", full)
    refusal = await refused("unavailable", accounts.create("ann", "secret"), key="not_kept", seconds=0.0)
    assert refusal.status == 503
    assert str(refusal).startswith("it is done, but")
    assert (await accounts.verify("ann", "secret")).name == "ann"
    await refused("unavailable", accounts.create("bob", "secret"), key="disk")
    assert len(accounts) == 1


# What it costs.


async def test_polling_costs_one_hash(accounts, threads, autojump_clock):
    """Thirty polls of fifty clients each after a restart, all at the same time."""
    for number in range(50):
        await accounts.create(f"user {number}", "secret", address="127.0.0.1")
    accounts._right._values.clear()
    threads.hashes = 0
    async with trio.open_nursery() as clients:
        for number in range(50):
            for _ in range(30):
                clients.start_soon(accounts.verify, f"user {number}", "secret")
    assert threads.hashes == 50
    assert threads.most_at_once == 2


async def test_polling_with_a_wrong_password_costs_one_hash_and_one_failure(
    accounts, threads, autojump_clock
):
    """A client with a typo in its settings locks nobody out, itself included."""
    await accounts.create("ann", "secret")
    threads.hashes = 0
    for _ in range(10 * limits.FAILURES_AT_ONCE):
        await refused("unauthorized", accounts.verify("ann", "secrte", address="192.0.2.1"))
    assert threads.hashes == 1
    await accounts.verify("ann", "secret", address="192.0.2.1")


async def test_an_unknown_user_costs_what_a_wrong_password_costs(accounts, threads, autojump_clock):
    """One hash with the same parameters each, so that nobody learns who has an account."""
    await accounts.create("ann", "secret")
    costs = []
    for name in ("ann", "nobody"):
        threads.hashes, began = 0, trio.current_time()
        refusal = await refused("unauthorized", accounts.verify(name, "wrong"))
        costs.append((threads.hashes, round(trio.current_time() - began, 6), str(refusal)))
    assert costs == [(1, 0.1, "the name or the password is wrong")] * 2
    assert accounts._nobody.cost == CHEAP


async def test_guessing_is_bounded_for_each_address(accounts, threads, autojump_clock):
    """All guesses of an address at once are counted before they are found wrong; others go on; time forgives."""
    await accounts.create("ann", "secret")
    outcomes: list[str] = []

    async def guess(number: int) -> None:
        with pytest.raises(Refusal) as error:
            await accounts.verify("ann", f"guess {number}", address="192.0.2.1")
        outcomes.append(error.value.kind)

    async with trio.open_nursery() as guesses:
        for number in range(150):
            guesses.start_soon(guess, number)
    assert outcomes.count("unauthorized") == limits.TRIES_AT_ONCE + limits.FAILURES_AT_ONCE
    for number in range(150, 153):  # some time has passed
        await guess(number)
    refusal = await refused("too_many", accounts.verify("ann", "again", address="192.0.2.1"))
    assert refusal.key == "failures_per_address"
    assert 0 < refusal.seconds <= 1 / limits.FAILURES_PER_S
    await accounts.verify("ann", "secret", address="192.0.2.1")  # it was remembered when ann was created
    await refused("unauthorized", accounts.verify("ann", "again", address="192.0.2.2"))
    await trio.sleep(2 / limits.FAILURES_PER_S)
    await refused("unauthorized", accounts.verify("ann", "again", address="192.0.2.2"))
    await refused("unauthorized", accounts.verify("ann", "again and again", address="192.0.2.1"))


@pytest.mark.parametrize("strangers", ["2001:db8::{:x}", "127.0.0.1", "192.0.2.{}"])
async def test_strangers_lock_nobody_out(accounts, strangers, autojump_clock):
    """Thousands of wrong passwords, of one /64, this machine, or a whole network; then the server restarts.

    Everybody with the right password comes in at the first try, also from where somebody guesses.
    """
    guid = await accounts.create("ann", "secret")
    found: Counter[str] = Counter()

    async def guess(number: int) -> None:
        address = strangers.format(number % 250)
        with pytest.raises(Refusal) as error:
            await accounts.verify(f"user {number % 600}", f"guess {number}", address=address)
        found[error.value.key] += 1

    for part in range(12):
        async with trio.open_nursery() as guesses:
            for number in range(100 * part, 100 * part + 100):
                guesses.start_soon(guess, number)
    assert found.total() == 1_200
    assert found.keys() <= {"basic", "failures_per_address"}
    for address in ("198.51.100.1", "127.0.0.1", strangers.format(1)):
        accounts._right._values.clear()
        assert (await accounts.verify("ann", "secret", address=address)).id == guid


async def test_guessing_one_name_is_bounded_for_a_household(accounts, autojump_clock):
    """Who changes its address within a /64 has no more tries, and is told how long to wait."""
    await accounts.create("ann", "secret")
    found: Counter[str] = Counter()
    for number in range(limits.TRIES_AT_ONCE + limits.FAILURES_AT_ONCE + 10):
        with pytest.raises(Refusal) as error:
            await accounts.verify("ann", f"guess {number}", address=f"2001:db8::{number:x}")
        found[error.value.key] += 1
    assert found["failures_per_address"] > 0
    refusal = await refused("too_many", accounts.verify("ann", "again", address="2001:db8::ffff"))
    assert re.fullmatch(
        r"too many wrong names or passwords came from your address: wait [1-3] s", str(refusal)
    )
    await refused("unauthorized", accounts.verify("ann", "again", address="2001:db8:0:1::1"))


async def test_nobody_takes_the_whole_queue(accounts, autojump_clock):
    """One address has part of it, even loopback; the others wait no longer than that takes."""
    await accounts.create("ann", "secret")
    accounts._right._values.clear()
    kinds: Counter[str] = Counter()

    async def guess(number: int) -> None:
        with pytest.raises(Refusal) as error:
            await accounts.verify("ann", f"guess {number}", address="127.0.0.1")
        kinds[error.value.kind] += 1

    async with trio.open_nursery() as guesses:
        for number in range(1_000):
            guesses.start_soon(guess, number)
        await trio.testing.wait_all_tasks_blocked()
        await accounts.verify("ann", "secret", address="192.0.2.1")
    assert kinds["unauthorized"] == limits.PASSWORDS_WAITING_PER_ADDRESS


async def test_right_passwords_count_as_no_failures(accounts, autojump_clock):
    """Hundreds of users behind one address log in."""
    for number in range(2 * limits.FAILURES_AT_ONCE):
        await accounts.create(f"user {number}", "secret", address="127.0.0.1")
    accounts._right._values.clear()
    for number in range(2 * limits.FAILURES_AT_ONCE):
        await accounts.verify(f"user {number}", "secret", address="192.0.2.1")


async def test_the_queue_for_the_threads_is_bounded(accounts, autojump_clock):
    """Past its bound people are told how long it takes; afterwards all is as before."""
    outcomes: list[str] = []

    async def log_in(number: int) -> None:
        with pytest.raises(Refusal) as error:
            await accounts.verify(f"user {number}", "secret", address=f"192.0.2.{number % 250}")
        outcomes.append(error.value.kind)
        if error.value.kind == "too_many":
            assert error.value.key == "passwords"
            assert error.value.seconds == pytest.approx(20.0)

    async with trio.open_nursery() as users:
        for number in range(limits.PASSWORDS_WAITING + 30):
            users.start_soon(log_in, number)
    assert outcomes.count("too_many") == 30
    await refused("unauthorized", accounts.verify("user 1", "other"))


async def test_who_gives_up_waiting_takes_nobody_with_it(accounts, autojump_clock):
    """Two wait for the same hash; the one that asked first goes away."""
    guid = await accounts.create("ann", "secret")
    accounts._right._values.clear()
    found: list[User] = []

    async def log_in() -> None:
        found.append(await accounts.verify("ann", "secret"))

    async with trio.open_nursery() as nursery:
        with trio.move_on_after(0.05) as scope:
            nursery.start_soon(log_in)
            await accounts.verify("ann", "secret")
    assert found == [User(guid, "ann")]
    assert scope.cancelled_caught
    assert not accounts._tried
    assert not accounts._hashing.total


async def test_who_gives_up_waiting_has_not_failed(accounts, autojump_clock):
    """Nothing was found out, so nothing counts."""
    for number in range(3):
        with trio.move_on_after(0.05):
            async with trio.open_nursery() as nursery:
                for guess in range(limits.FAILURES_AT_ONCE - 10):
                    nursery.start_soon(refused, "", accounts.verify("ann", f"{number} {guess}"))
        await trio.sleep(0.1)
    await refused("unauthorized", accounts.verify("ann", "another guess"))


async def test_new_users_are_bounded_for_each_address_and_in_all(accounts, monkeypatch, autojump_clock):
    """Loopback, where a proxy may speak for many, only in all."""
    for number in range(limits.USERS_AT_ONCE):
        await accounts.create(f"user {number}", "x", address="192.0.2.1")
    await refused("too_many", accounts.create("one more", "x", address="192.0.2.1"), key="users_per_address")
    await accounts.create("one more", "x", address="192.0.2.2")
    monkeypatch.setattr(limits, "USERS_MAX", len(accounts) + 1)
    await accounts.create("the last one", "x", address="127.0.0.1")
    await refused("too_many", accounts.create("too late", "x", address="127.0.0.1"), key="users")


async def test_what_is_remembered_is_bounded(accounts, monkeypatch, autojump_clock):
    """The credential that was not used for longest is forgotten, and costs a hash again."""
    accounts._right._most = 2
    for name in ("ann", "bob", "cat"):
        await accounts.create(name, "secret")
    assert len(accounts._right) == 2
    assert (await accounts.verify("ann", "secret")).name == "ann"


@pytest.mark.slow
def test_a_hash_costs_a_thief_and_not_the_server():
    """About 0.1 s and 32 MiB each: the parameters are a matter of record."""
    assert (COST.n, COST.r, COST.p) == (32_768, 8, 1)
    began = time.process_time()
    digest = COST.hash("secret", bytes(16))
    assert time.process_time() - began > 0.02
    assert len(digest) == 32
