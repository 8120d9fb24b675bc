"""A tournament: its plan, its bots, its folder, its play."""
