"""What all tests share: Hypothesis without a deadline (machines are shared and noisy), and no run writes into the house."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
