"""At the end of a run: which languages were not tried."""

from untried import untried_languages


def pytest_terminal_summary(terminalreporter) -> None:
    """In the summary: a skip would count as a failure in CI, which has neither a JDK nor Rust."""
    if line := untried_languages():
        terminalreporter.write_line(line)
