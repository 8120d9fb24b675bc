// A table: what lies in its middle, and the players round it.
import { html } from "../html.js";
import { classes, listed, place as placeWord } from "./words.js";

// What somebody said or did last.
export const bubble = (text) => html`<span class="k-bubble">${text}</span>`;

const mark = (sign) => html`<svg class="k-mark" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><use href=${`#s-${sign}`} /></svg>`;

// A hand at the beginning of a round, below what the last showdown revealed.
export const handNow = (hand) => html`<span class="k-now"><span class="k-label">now</span>${hand}</span>`;

// A player at the table. stats: a short line ("3 dice"); body: the hand; turn: whether it is to move (by
// default: whether it is asked); lost: what it just lost ("loses a die"); won: what it just won; dealer: has the
// button; note: a short word beside the name; said: instead of what the scene says it did.
export function place(scene, seat, options = {}) {
  const { stats, body, dealer, lost, won, note, said = scene.said[seat] } = options;
  const isOut = scene.out[seat];
  const rank = scene.ranks ? scene.ranks[seat] : null;
  const isTurn = !scene.ranks && scene.asked.length > 0 && (options.turn ?? scene.asked.includes(seat));
  const isFirst = rank === 1;
  const status = rank !== null ? placeWord(rank) : isOut ? "out" : isTurn ? "to move" : null;
  const sign = isTurn ? "turn" : isFirst ? "won" : isOut ? "lost" : null;
  return html`<section
    class=${classes("k-place", isTurn && "is-turn", isOut && "is-out", isFirst && "is-first", lost && "is-lost", won && "is-won")}
    aria-label=${scene.names[seat]}
    data-seat=${seat}
  >
    <div class="k-top"><div class="k-head">
      ${sign ? mark(sign) : null}
      <b class="k-name" title=${scene.names[seat]}>${scene.names[seat]}</b>
      ${[scene.you === seat && "you", dealer && "dealer", note].filter(Boolean).map((tag) => html`<span class="k-tag" key=${tag}>${tag}</span>`)}
    </div>
    <p class="k-stats"><span>${stats}</span>${status ? html`<span class="k-status">${status}</span>` : null}</p></div>
    ${[body].flat().some(Boolean) ? html`<div class="k-hand">${body}</div>` : null}
    <p class="k-said">${news({ lost, won, said })}</p>
  </section>`;
}

function news({ lost, won, said }) {
  if (lost) return html`<span class="k-bubble is-lost">${mark("lost")}${lost}</span>`;
  if (won) return html`<span class="k-bubble is-won">${mark("won")}${won}</span>`;
  return said ? bubble(said) : null;
}

// Who won, for the middle of a table whose match is over.
export function winners(scene) {
  const names = scene.names.filter((_, seat) => scene.ranks[seat] === 1);
  return html`<p class="k-title">${mark("won")} ${listed(names)}</p>
    <p class="k-note">${names.length > 1 ? "share first place" : "wins the match"}</p>`;
}

// How many sit left, at the top and right of the one at the bottom; the rest sits beside that one.
const SIDES = { 1: [0, 0, 0], 2: [0, 1, 0], 3: [0, 2, 0], 4: [1, 1, 1], 5: [1, 2, 1], 6: [1, 3, 1], 7: [2, 2, 2], 8: [2, 3, 2], 9: [2, 4, 2], 10: [2, 3, 2] };
const ROUND_MAX = 10; // more seats stand below the centre at any width
const COLUMNS = 12;

// The table of a scene with `seat` at the bottom (null: seat 0), in playing order clockwise; in a narrow box a list.
export function table(scene, seat, { centre, place: drawPlace }) {
  const seats = scene.names.length;
  const bottom = seat ?? 0;
  const isRound = seats <= ROUND_MAX;
  const slots = isRound ? slotsOf(seats) : null;
  const order = orderOf(scene, seat);
  return html`<div class="k-board">
    <div class=${classes("k-table", isRound && "is-round")} data-seats=${seats}>
      <div class="k-felt" aria-hidden="true"></div>
      <div class="k-centre" role="group" aria-label="the table">${centre}</div>
      <ol class="k-places">
        ${order.map((each) => {
          const { side, columns, rows } = slots?.[(each - bottom + seats) % seats] ?? {};
          return html`<li key=${each} class=${classes("k-slot", side && `at-${side}`, each === seat && "is-own")} style=${{ "--columns": columns, "--rows": rows }}>${drawPlace(each)}</li>`;
        })}
      </ol>
    </div>
  </div>`;
}

// The seats in the order in which they are read: `seat` is the last, next to its controls.
export function orderOf(scene, seat) {
  const seats = scene.names.length;
  return scene.names.map((_, at) => (seat === null ? at : (seat + 1 + at) % seats));
}

// Where each seat is in the grid of a wide table, clockwise from the bottom.
export function slotsOf(seats) {
  const [left, top, right] = SIDES[seats];
  const beside = seats - 1 - left - top - right;
  const bottomRow = acrossOf(beside + 1).map((columns) => ({ side: "bottom", columns, rows: "4" }));
  const middle = Math.floor(bottomRow.length / 2);
  const topRow = acrossOf(top).map((columns) => ({ side: "top", columns, rows: "1" }));
  const leftSide = downOf(left).map((rows) => ({ side: "left", columns: "1 / span 3", rows }));
  const rightSide = downOf(right).map((rows) => ({ side: "right", columns: "10 / span 3", rows }));
  // Clockwise: from the bottom's middle to its left, up the left side, along the top, down the right side.
  return [
    ...bottomRow.slice(0, middle + 1).reverse(),
    ...leftSide.reverse(),
    ...topRow,
    ...rightSide,
    ...bottomRow.slice(middle + 1).reverse(),
  ];
}

function acrossOf(count) {
  const span = count > 3 ? 3 : count > 1 ? 4 : 6;
  const first = 1 + (COLUMNS - span * count) / 2;
  return Array.from({ length: count }, (_, at) => `${first + at * span} / span ${span}`);
}

const downOf = (count) => (count === 1 ? ["2 / span 2"] : ["2", "3"].slice(0, count));
