"""Plays any game: an option uniformly, then each of its fields uniformly."""

from arena.sdk import Bot, choose, run


class RandomBot(Bot):
    name = "random"
    version = "1"

    def move(self, state, options):
        return choose(options, self.rng)


if __name__ == "__main__":
    run(RandomBot)
