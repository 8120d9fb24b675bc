"""Chamber by the counts: how many live and how many blank rounds are left says where to shoot.

It takes lives, then looks what comes next if it can.  What is surely blank it fires at itself, which
keeps its turn; anything else at who has fewest lives left.  Before that it uses, or steals, what makes
the shot hit harder or lets it shoot again soon: items do not outlive the round.
"""

from arena.sdk import Bot, every, run

WORTH_DOUBLING = 0.5  # how likely a round must be live that DoubleDamage is spent on; tuned by self-play


class Tally(Bot):
    name = "tally"
    version = "1"

    def move(self, state, options):
        if state["asked"] == "rebalance":
            return self.rebalance(state)
        live = self.likelihood(state)
        target = self.target(state)
        at_others = live > 0
        moves = list(every(options))
        for item in self.wanted(state, live, target, at_others):
            use = self.use(item, state, moves)
            if use is not None:
                return use
        return {"packet": "ShootPlayer", "username": target["username"] if at_others else state["you"]}

    def likelihood(self, state):
        """The probability that the next round is live."""
        if state["known_next"]:
            return float(state["known_next"] == "live")
        return state["live_left"] / (state["live_left"] + state["blank_left"])

    def target(self, state):
        """Whom to shoot: who is nearest to being out, of these who has most items to inherit."""
        others = [seat for seat in state["players"] if seat["lives"] and seat["username"] != state["you"]]
        return min(others, key=lambda seat: (seat["lives"], -len(seat["items"])))

    def wanted(self, state, live, target, at_others):
        """The items that are of use now, the best one first."""
        yield "AddLife"
        if 0 < live < 1:
            yield "ChamberCheck"
        if at_others:
            if live >= WORTH_DOUBLING and target["lives"] > 1:
                yield "DoubleDamage"
            if state["live_left"] + state["blank_left"] > 1:
                yield "Quickshot"
            yield "Skip"

    def use(self, item, state, moves):
        """The move that uses its own such item, else one that steals it, or None."""
        own = [move for move in moves if move["packet"] == f"Use{item}Item"]
        uses = own or [move for move in moves if move["packet"] == "UseStealItem" and move["item"] == item]
        if item == "Skip":  # to who would be next, so that its own turn comes sooner
            following = state["turnOrder"][1]
            uses = [use for use in uses if use.get("skip_target", use.get("target")) == following]
        return uses[0] if uses else None

    def rebalance(self, state):
        """Live rounds for itself if it shoots first, blank ones for the others."""
        ammo = "live" if state["current_player"] == state["you"] else "blank"
        return {"packet": "UseRebalancerItem", "ammo": ammo}


if __name__ == "__main__":
    run(Tally)
