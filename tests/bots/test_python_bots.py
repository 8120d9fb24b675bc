"""The built-in bots in Python, as objects in this process and as programs of their own."""

import importlib.util
import sys
import tomllib
from itertools import product

import attrs
import msgspec
import pytest
from bots_table import BOTS, HOUSE, QUESTIONS, may_answer
