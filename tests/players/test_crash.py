"""Why a program ended: the line that says so, in what different languages print; and no more work than bounded."""

from __future__ import annotations

from time import process_time

import pytest

from arena.players.crash import NO_NETWORK, SAID_MAX, error_in_build, exception_in, last_line, why_ended

PYTHON = """\
thinking
Traceback (most recent call last):
  File "/x/bot.py", line 9, in move
    return state["hand"]
           ~~~~~^^^^^^^^
KeyError: 'hand'
"""
CHAINED = f"""{PYTHON}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/x/bot.py", line 12, in <module>
    raise Oops(3) from None
bot.Oops: 3
and the next line of its message
"""
GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/x/bot.py", line 3, in <module>
  |     main()
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/x/bot.py", line 2, in main
    |     state["hand"]
    | KeyError: 'hand'
    +------------------------------------
"""
SYNTAX = """\
  File "/x/bot.py", line 3
    def move(
            ^
SyntaxError: '(' was never closed
"""
NODE = """\
/x/bot.js:3
  throw new TypeError("no hand")
  ^

TypeError: no hand
    at Object.<anonymous> (/x/bot.js:3:9)
    at node:internal/main/run_main_module:23:47

Node.js v18.19.0
"""
NODE_CODE = """\
node:internal/modules/cjs/loader:1137
  throw err;
  ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'
    at packageResolve {
  code: 'MODULE_NOT_FOUND'
}

Node.js v18.19.0
"""
JAVA = 'Exception in thread "main" java.lang.StackOverflowError\n' + "\tat Bot.search(Bot.java:42)\n" * 1024
JAVA_CAUSED = """\
Exception in thread "main" java.lang.RuntimeException: cannot move
\tat Bot.main(Bot.java:5)
Caused by: java.lang.NullPointerException: no hand
\tat Bot.move(Bot.java:9)
\t... 1 more
"""
GO = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/x/bot.go:9 +0x1d
exit status 2
"""
RUST = """\
thread 'main' panicked at src/main.rs:3:5:
index out of bounds: the len is 3 but the index is 5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_2021 = "thread 'main' panicked at 'no hand', src/main.rs:3:5\nnote: run with `RUST_BACKTRACE=1`\n"
CPP = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::at: 5\n"
RUBY = "bot.rb:3:in `move': undefined method `hand' (NoMethodError)\n\tfrom bot.rb:9:in `<main>'\n"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        pytest.param(PYTHON, "KeyError: 'hand'", id="Python"),
        pytest.param(CHAINED, "bot.Oops: 3", id="Python, chained, a class of its own, more lines"),
        pytest.param(GROUP, "KeyError: 'hand'", id="Python, in a group"),
        pytest.param(SYNTAX, "SyntaxError: '(' was never closed (bot.py, line 3)", id="Python, no traceback"),
        pytest.param(PYTHON.replace(": 'hand'", ""), "KeyError", id="Python, without a message"),
        pytest.param(PYTHON.replace("\n", "\r\n"), "KeyError: 'hand'", id="line ends of Windows"),
        pytest.param(PYTHON.replace("Key", "\x1b[1;35mKey\x1b[0m"), "KeyError: 'hand'", id="in colour"),
        pytest.param(f"{PYTHON}bye\n", "KeyError: 'hand'", id="Python, and something at exit"),
        pytest.param("Fatal Python error: Segmentation fault\n\n", "Fatal Python error: Segmentation fault"),
        pytest.param(NODE, "TypeError: no hand", id="Node"),
        pytest.param(NODE_CODE, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'", id="Node, code"),
        pytest.param(JAVA, "java.lang.StackOverflowError", id="Java, above a thousand lines"),
        pytest.param(JAVA_CAUSED, "java.lang.NullPointerException: no hand", id="Java, the cause"),
        pytest.param('Exception in thread "main" Oops: 3\n\tat x', "Oops: 3", id="Java, odd name"),
        pytest.param(GO, "panic: runtime error: index out of range [5] with length 3", id="Go"),
        pytest.param(
            RUST,
            "thread 'main' panicked at src/main.rs:3:5: index out of bounds: the len is 3 but the index is 5",
            id="Rust",
        ),
        pytest.param(RUST_2021, "thread 'main' panicked at 'no hand', src/main.rs:3:5", id="older Rust"),
        pytest.param(CPP, "std::out_of_range: vector::at: 5", id="C++"),
        pytest.param(CPP.partition("\n")[0], "std::out_of_range", id="C++, nothing else"),
        pytest.param(
            "bot: bot.cpp:3: int main(): Assertion `x' failed.\nAborted",
            "bot: bot.cpp:3: int main(): Assertion `x' failed.",
            id="C",
        ),
        pytest.param(
            "==7==ERROR: AddressSanitizer: heap-use-after-free\n",
            "ERROR: AddressSanitizer: heap-use-after-free",
            id="sanitizer",
        ),
        pytest.param(RUBY, "`move': undefined method `hand' (NoMethodError)", id="Ruby"),
        pytest.param("my hand is bad\nDeprecationWarning: old\n", "", id="none"),
        pytest.param("Traceback (most recent call last):\n  File", "", id="a traceback that was cut"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_exception_is_found(printed, expected):
    """On one line, without what stands around it."""
    assert expected == exception_in(printed)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (PYTHON, "exit: KeyError: 'hand'"),
        ("loading\nno luck today\n\n", "exit; it last printed: no luck today"),
        ("no luck\n\nNode.js v18.19.0\n", "exit; it last printed: no luck"),
        ("  \n", "exit"),
        ("", "exit"),
    ],
)
def test_how_it_ended_is_told_with_the_exception_or_the_last_line(printed, expected):
    """An exception is the reason; a last line may be."""
    assert expected == why_ended("exit", printed)


@pytest.mark.parametrize(
    "said",
    [
        "OSError: [Errno 101] Network is unreachable",
        "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "Error: getaddrinfo EAI_AGAIN example.org",
        "panic: dial tcp: lookup example.org on 192.0.2.1:53: no such host",
        "java.net.UnknownHostException: example.org",
        "ConnectionRefusedError: [Errno 111] Connection refused",
    ],
)
def test_where_a_box_has_no_network_an_exception_about_it_is_explained(said):
    """In the words of several languages; nothing is explained where the box has it, or something else failed."""
    assert why_ended("exit", said, is_offline=True).endswith(f"{said}{NO_NETWORK}")
    assert why_ended("exit", said).endswith(said)
    assert NO_NETWORK not in why_ended("exit", PYTHON, is_offline=True)


@pytest.mark.parametrize(
    "said",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: '../base/bot.toml'",
        "ModuleNotFoundError: No module named 'numpy'",
    ],
)
def test_what_is_not_found_on_disk_is_not_about_the_network(said):
    """Whatever letters its name has in common with Node's ENOTFOUND."""
    assert why_ended("exit", said, is_offline=True).endswith(said)
    node = "Error: getaddrinfo ENOTFOUND example.org"
    assert why_ended("exit", node, is_offline=True).endswith(f"{node}{NO_NETWORK}")


def test_a_long_message_is_cut():
    """What is told fits into a reason."""
    said = exception_in(f"KeyError: {'x' * 10_000}")
    assert (SAID_MAX, True) == (len(said), said.endswith("x…"))
    assert SAID_MAX == len(last_line("y" * 10_000))


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " ",
        "|",
        " | ",
        "x",
        "Error",
        "Error\n",
        "\x1b[",
        "\x1b[0",
        "=1",
        "thread 'main' panicked at :1:1",
        "a: b:1: : Assertion `' failed.",
        "a:1:in (",
        "Traceback (most recent call last):\n",
        'Exception in thread "',
        "\0\ufffd",
    ],
)
def test_looking_costs_little_whatever_was_printed(piece):
    """Megabytes of it, in a fraction of the time that starting the bot again takes."""
    printed = piece * (2_000_000 // len(piece))
    began = process_time()
    why_ended("exit", printed)
    assert process_time() - began < 0.1


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("a.cpp: In function 'int main()':\na.cpp:3:5: error: x\nb.cpp:1:1: error: y", "a.cpp:3:5: error: x"),
        (
            "\x1b[31merror[E0425]\x1b[0m: cannot find value `x`\n --> a.rs:3:5",
            "error[E0425]: cannot find value `x`",
        ),
        ("Bot.java:3: error: ';' expected\n1 error", "Bot.java:3: error: ';' expected"),
        ("make: *** [Makefile:2: all] Error 1", "make: *** [Makefile:2: all] Error 1"),
        ("a" * 500 + " error", ""),
        ("terrors of the deep\nhalf done", ""),
        ("", ""),
    ],
)
def test_why_a_build_failed(printed, expected):
    """The first error says most: the others often follow from it."""
    assert expected == error_in_build(printed)
