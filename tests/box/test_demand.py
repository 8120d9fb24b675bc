"""What programs want of the processor: used or waited for, in all their processes, those that ended included."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.box.demand import demand_s_below, is_demand_known

pytestmark = pytest.mark.skipif(not is_demand_known(), reason="this system does not count it")

CODE = """
import os, sys, time
def work(s):
    end = time.thread_time() + s
    while time.thread_time() < end: pass
if os.fork() == 0:
    work(0.08)
    os._exit(0)
os.wait()
print(flush=True)
sys.stdin.readline()
work(0.04)
print(flush=True)
sys.stdin.readline()
"""


def test_it_is_of_all_that_a_program_has_started():
    """A child that has ended counts on; sleeping is free; a program that is gone wanted nothing more."""
    before_s = demand_s_below(os.getpid())
    with subprocess.Popen([sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        one.stdout.readline()
        begun_s = demand_s_below(os.getpid())
        assert begun_s - before_s >= 0.08 - 0.02  # ended children are counted in hundredths of a second
        waited_s = demand_s_below(os.getpid())
        assert waited_s - begun_s < 0.02
        one.stdin.write(b"\n")
        one.stdin.flush()
        one.stdout.readline()
        assert demand_s_below(os.getpid()) - waited_s >= 0.04
        one.stdin.close()
    assert 0.0 == demand_s_below(one.pid)
