// Scout: Liar's Dice in JavaScript, Node's standard library only, over the plain protocol (arena/wire/PROTOCOL.md).
//
// Believes a little of what it hears: whoever bid last is taken to hold one die of that face more
// than luck would give.  Every answer is a function of the question alone.

"use strict";

const net = require("node:net");

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

/** The move for a question of the plain protocol. */
function decide(question) {
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
