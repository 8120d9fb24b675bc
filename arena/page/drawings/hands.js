// Hands of poker: which five of seven cards are best, and how good they are.

const RANKS = "23456789TJQKA";

// The five cards that make the best hand, those that go together first.
export function bestFive(cards) {
  let best = null;
  for (let one = 0; one < cards.length; one++) {
    for (let other = one + 1; other < cards.length; other++) {
      const five = cards.filter((_, at) => at !== one && at !== other);
      const worth = worthOf(five);
      if (best === null || worth > best.worth) best = { five, worth };
    }
  }
  return sorted(best.five);
}

// How good the best hand among five to seven cards is, as a number: its kind, then the ranks that decide.
export function worthOf(cards) {
  const counts = Array(RANKS.length).fill(0), masks = { C: 0, D: 0, H: 0, S: 0 }, flushes = { C: 0, D: 0, H: 0, S: 0 };
  for (const [rank, suit] of cards) {
    const at = RANKS.indexOf(rank);
    counts[at]++;
    masks[suit] |= 1 << at;
    flushes[suit]++;
  }
  const suit = Object.keys(flushes).find((each) => flushes[each] >= 5);
  const all = masks.C | masks.D | masks.H | masks.S;
  const ofSuit = suit ? topOf(masks[suit]) : -1, straight = topOf(all);
  if (ofSuit >= 0) return ranked(8, [ofSuit]);
  const many = [[], [], [], [], []]; // by how many cards of a rank there are: those ranks, the highest first
  for (let rank = RANKS.length - 1; rank >= 0; rank--) many[counts[rank]].push(rank);
  const [, , pairs, threes, fours] = many;
  const others = (...used) => ranksIn(all).filter((rank) => !used.includes(rank));
  if (fours.length) return ranked(7, [fours[0], others(fours[0])[0]]);
  if (threes.length && (threes.length > 1 || pairs.length)) return ranked(6, [threes[0], Math.max(threes[1] ?? -1, pairs[0] ?? -1)]);
  if (suit) return ranked(5, ranksIn(masks[suit]));
  if (straight >= 0) return ranked(4, [straight]);
  if (threes.length) return ranked(3, [threes[0], ...others(threes[0]).slice(0, 2)]);
  if (pairs.length > 1) return ranked(2, [pairs[0], pairs[1], others(pairs[0], pairs[1])[0]]);
  return pairs.length ? ranked(1, [pairs[0], ...others(pairs[0]).slice(0, 3)]) : ranked(0, ranksIn(all));
}

// The highest rank of a straight among ranks, or −1; an ace is also below a two.
function topOf(mask) {
  for (let top = RANKS.length - 1; top >= 4; top--) if (((mask >> (top - 4)) & 31) === 31) return top;
  return (mask & 0x100f) === 0x100f ? 3 : -1;
}

const ranksIn = (mask) => [...RANKS].map((_, rank) => rank).filter((rank) => mask & (1 << rank)).reverse();
const ranked = (kind, ranks) => Array.from({ length: 5 }, (_, at) => ranks[at] ?? 0).reduce((worth, rank) => 13 * worth + rank, kind);

// The cards that go together first: pairs before single cards, high before low.
function sorted(five) {
  const many = (card) => five.filter(([rank]) => rank === card[0]).length;
  return [...five].sort((one, other) => many(other) - many(one) || RANKS.indexOf(other[0]) - RANKS.indexOf(one[0]));
}
