// Scout: Liar's Dice and Blef in JavaScript, Node's standard library only, over the plain protocol
// (arena/wire/PROTOCOL.md).
//
// Believes a little of what it hears: whoever bid last is taken to hold one die of that face more
// than luck would give, or a card of the set that it bet on.  Every answer is a function of the
// question alone, the game included: questions do not name it, but their fields do.

"use strict";

const net = require("node:net");

// Liar's Dice.

const FACES = 6; // plain questions do not tell the house rules: the default
const TRUST = 0.5; // dice of the bid face it grants the last bidder beyond luck

/** The probability that at least `needed` of `dice` hidden dice show a given face. */
function atLeast(needed, dice) {
  const p = 1 / FACES;
  let term = (1 - p) ** dice; // exactly k dice
  let sum = needed <= 0 ? term : 0;
  for (let k = 1; k <= dice; k++) {
    term *= ((p / (1 - p)) * (dice - k + 1)) / k;
    if (k >= needed) sum += term;
  }
  return Math.min(1, sum);
}

/** The probability that a bid is true, as far as the own dice tell. */
function likelihood([face, count], question, trust = 0) {
  const own = question.your_hand.filter((die) => die === face).length;
  const hidden = inPlay(question) - question.your_hand.length;
  const needed = count - own - trust;
  const low = Math.floor(needed);
  const share = needed - low; // between two whole numbers of dice: in proportion
  return (1 - share) * atLeast(low, hidden) + (share ? share * atLeast(low + 1, hidden) : 0);
}

function inPlay(question) {
  return question.other_hands.reduce((sum, [, count]) => sum + count, 0);
}

/** The lowest higher bid on each face, most likely first. */
function bids(question) {
  const [lastFace, lastCount] = question.last_bid;
  const found = [];
  for (let face = 1; face <= FACES; face++) {
    const own = question.your_hand.filter((die) => die === face).length;
    const lowest = Math.max(1, face > lastFace ? lastCount : lastCount + 1);
    const count = lastCount === 0 ? Math.max(1, own) : lowest; // opens with all it holds of a face
    if (count <= inPlay(question)) found.push([face, count]);
  }
  const worth = (bid) => likelihood(bid, question) + 0.01 * bid[1];
  return found.sort((a, b) => worth(b) - worth(a) || b[0] - a[0]);
}

function decideDice(question) {
  const isBid = question.last_bid[1] > 0;
  const truth = isBid ? likelihood(question.last_bid, question, TRUST) : 1;
  if (question.other_hands[0][0] !== "yourself") {
    const mayChallenge = isBid && question.last_bidder !== "yourself";
    return mayChallenge && truth < 0.4 / question.other_hands.length ? "challenge" : "pass";
  }
  const [best] = bids(question);
  if (isBid && (!best || likelihood(best, question) < 1 - truth)) return "challenge";
  return best;
}

// Blef.  Cards are bits of a number: card 4 * value + colour is bit 4 * value + colour.

const CHECK = 88;
const CARDS = 24;
const BELIEF = 0.7; // how sure it is that the last bettor holds a card of what it bet on
const ALARM = 0.45; // it checks a bet less likely than this share of what its own best bet risks

const VALUE = [0, 1, 2, 3, 4, 5].map((value) => 0b1111 << (4 * value));
const COLOUR = [0, 1, 2, 3].map((colour) => 0b000100010001000100010001 << colour);
const RUNS = [[0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]];

/** The 88 sets by action id; each is a list of [cards, how many of them must be there]. */
const SETS = (() => {
  const of = (count) => VALUE.map((cards) => [[cards, count]]);
  const pairs = VALUE.flatMap((x) => VALUE.map((y) => [x, y]));
  return [
    ...of(1),
    ...of(2),
    ...pairs.filter(([x, y]) => y < x).map(([x, y]) => [[x, 2], [y, 2]]),
    ...RUNS.map((run) => run.map((value) => [VALUE[value], 1])),
    ...of(3),
    ...pairs.filter(([x, y]) => y !== x).map(([x, y]) => [[x, 3], [y, 2]]),
    ...COLOUR.map((cards) => [[cards, 5]]),
    ...of(4),
    ...RUNS.flatMap((run) => {
      const inRun = run.reduce((cards, value) => cards | VALUE[value], 0);
      return COLOUR.map((cards) => [[cards & inRun, run.length]]);
    }),
  ];
})();

function size(cards) {
  let count = 0;
  for (; cards; cards &= cards - 1) count++;
  return count;
}

/** CHOOSE[n][k]: the ways to take k of n cards; nothing for k above n. */
const CHOOSE = [[1]];
for (let n = 1; n <= CARDS; n++) {
  CHOOSE.push([]);
  for (let k = 0; k <= n; k++) CHOOSE[n].push((CHOOSE[n - 1][k - 1] ?? 0) + (CHOOSE[n - 1][k] ?? 0));
}

/** The probability that a set is there, with `known` cards seen and `hidden` others dealt. */
function setOdds(needs, known, hidden) {
  let ways = [1]; // to deal so many cards of the groups so far
  let others = CARDS - size(known);
  const all = CHOOSE[others][hidden];
  for (const [cards, least] of needs) {
    const unseen = size(cards & ~known);
    const needed = least - size(cards & known);
    const more = new Array(ways.length + unseen).fill(0);
    for (let i = 0; i < ways.length; i++) {
      for (let k = Math.max(0, needed); k <= unseen; k++) more[i + k] += ways[i] * CHOOSE[unseen][k];
    }
    ways = more;
    others -= unseen;
  }
  return ways.reduce((sum, each, k) => sum + each * (CHOOSE[others][hidden - k] ?? 0), 0) / all;
}

function decideBlef({ cp_nickname: me, hands, players, history }) {
  const own = hands[0].hand.reduce((cards, { value, colour }) => cards | (1 << (4 * value + colour)), 0);
  const hidden = players.reduce((sum, player) => sum + (player.nickname === me ? 0 : player.n_cards), 0);
  const last = history.length ? history[history.length - 1].action_id : -1;
  if (last === CHECK - 1) return CHECK; // nothing is higher
  const betOn = last < 0 ? 0 : SETS[last][0][0] & ~own;
  const hint = betOn & -betOn; // the lowest card of it that it does not hold itself, or none
  const believed = (id) => {
    const alone = setOdds(SETS[id], own, hidden);
    return hint ? alone + BELIEF * (setOdds(SETS[id], own | hint, hidden - 1) - alone) : alone;
  };
  let best = last + 1;
  let odds = 0;
  for (let id = last + 1; id < CHECK; id++) {
    const found = believed(id);
    if (found >= odds) [best, odds] = [id, found]; // of equal ones the highest
  }
  return last >= 0 && believed(last) < ALARM * (1 - odds) ? CHECK : best;
}

// The wire.

/** The move for a question of the plain protocol. */
function decide(question) {
  return "cp_nickname" in question ? decideBlef(question) : decideDice(question);
}

/** Splits what arrives into JSON objects, wherever the chunks end. */
class Objects {
  constructor(found) {
    this.found = found;
    this.text = "";
    this.at = this.start = this.depth = 0;
    this.inString = this.escaped = false;
  }

  feed(chunk) {
    this.text += chunk;
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at];
      if (this.escaped) this.escaped = false;
      else if (this.inString) {
        if (c === "\\") this.escaped = true;
        else if (c === '"') this.inString = false;
      } else if (c === '"') this.inString = this.depth > 0;
      else if (c === "{" && this.depth++ === 0) this.start = this.at;
      else if (c === "}" && this.depth > 0 && --this.depth === 0) this.found(JSON.parse(this.text.slice(this.start, this.at + 1)));
    }
    this.text = this.depth > 0 ? this.text.slice(this.start) : "";
    this.at = this.text.length;
    this.start = 0;
  }
}

function main() {
  const { ARENA_HOST: host = "127.0.0.1", ARENA_PORT: port, ARENA_NAME: name = "scout", ARENA_TOKEN: token } = process.env;
  if (!port) {
    console.error("scout: tell it where to connect: ARENA_PORT=8888 node scout.js");
    process.exit(2);
  }
  const socket = net.connect({ host, port: Number(port) }, () => {
    socket.write(JSON.stringify(token ? { name, token } : { name }) + "\n");
  });
  socket.setNoDelay(true);
  socket.setEncoding("utf8"); // keeps a character together that comes in two chunks
  const objects = new Objects((question) => {
    if (question.type === "bye") console.error(`scout: the arena says bye: ${question.reason}`); // it was refused
    if (!("message_id" in question)) return;
    socket.write(JSON.stringify({ message_id: question.message_id, move: decide(question) }) + "\n");
  });
  socket.on("data", (chunk) => objects.feed(chunk));
  socket.on("error", (error) => {
    console.error(`scout: ${error.message}`);
    process.exitCode = error.code === "ECONNREFUSED" ? 2 : 0;
  });
}

if (require.main === module) main();
else module.exports = { decide, Objects };
