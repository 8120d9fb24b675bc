"""Two bots that answer at once, one of them rudely now and then; no other code: a run looks whether it has changed."""

from arena.sdk import Bot


class Even(Bot):
    def move(self, state, options):
        if state["other_hands"][0][0] != "yourself":
            return "pass"
        return "challenge" if state["last_bid"][1] else [2, 1]


class Odd(Even):
    """Bids where it should pass, now and then."""

    def move(self, state, options):
        is_rude = state["move_number"] == 2 and self.rng.random() < 0.3
        return [6, 1] if is_rude else super().move(state, options)
