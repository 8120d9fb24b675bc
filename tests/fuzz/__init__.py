"""Fuzzing: millions of inputs for everything that reads what comes from outside.

A target (`targets.py`) takes bytes and fails where a promise is broken: an exception that is not the documented
one, or two ways to read the same bytes that differ.  `python -m tests.fuzz TARGET --runs N` lets atheris
look for such bytes, guided by what code they reach; `test_fuzz.py` plays the kept corpus and some thousand
mutations of it.  What was found is kept in `corpus/TARGET/found-*` and stays a test.
"""
