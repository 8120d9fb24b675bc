"""A first bot for Liar's Dice.  Play it: arena run examples/first_bot.py random"""

from arena.sdk import Bot, choose, run


class FirstBot(Bot):
    name = "first"

    def move(self, state, options):
        face, count = state["last_bid"]  # [0, 0]: nobody has bid yet
        others = sum(dice for _, dice in state["other_hands"]) - len(state["your_hand"])
        believable = state["your_hand"].count(face) + others / 3
        kinds = {option["kind"]: option for option in options}
        if "Challenge" in kinds and count > believable:
            return "challenge"
        if "Pass" in kinds:
            return "pass"
        return choose([option for option in options if option["kind"] == "Bid"][:1] or options, self.rng)


if __name__ == "__main__":
    run(FirstBot)
