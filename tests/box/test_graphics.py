"""Graphics cards: who was granted them has them, and nobody else."""

from __future__ import annotations

import os
import subprocess

import pytest
from boxes import STRICT, need

from arena.box import bubblewrap, places
from arena.box.places import FileView


@pytest.mark.slow
def test_a_graphics_card_is_there_for_who_was_granted_it(tmp_path, monkeypatch):
    """In both boxes of bubblewrap; any device that a box has not by itself stands for one."""
    need(STRICT)
    device = next(
        path for path in ("/dev/net", "/dev/fuse", "/dev/loop0", "/dev/kmsg") if os.path.exists(path)
    )
    monkeypatch.setattr(places, "_GRAPHICS", (device,))
    for has_gpu in (True, False):
        view = FileView(folder=tmp_path, own=(tmp_path,), has_gpu=has_gpu)
        env = {"PATH": os.environ["PATH"]}
        for words in (
            bubblewrap.shield_words(view, env, 1 << 20),
            bubblewrap.strict_words(view, env, network=False),
        ):
            program = [str(bubblewrap.program()), *words, "test", "-e", device]
            assert has_gpu == (subprocess.run(program, check=False).returncode == 0)
