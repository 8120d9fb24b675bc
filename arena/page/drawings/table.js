// A table: what lies in its middle, and the players round it.
import { html } from "../html.js";
import { shortened } from "./names.js";
import { classes, listed, place as placeWord } from "./words.js";

// What somebody said or did last.
export const bubble = (text) => html`<span class="k-bubble" data-piece="said" data-face=${text} title=${text}>${text}</span>`;

const mark = (sign) => html`<svg class="k-mark" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><use href=${`#s-${sign}`} /></svg>`;

// A hand at the beginning of a round, below what the last showdown revealed.
export const handNow = (hand) => html`<span class="k-now"><span class="k-label">now</span>${hand}</span>`;

// A player at the table. stats: a short line ("3 dice"); body: the hand; turn: whether it is to move (by
// default: whether it is asked); lost: what it just lost ("loses a die"); won: what it just won; dealer: has the
// button; note: a short word beside the name; said: instead of what the scene says it did.
export function place(scene, seat, options = {}) {
  const dealer = "dealer";
  const { stats, body, lost, won, note, said = scene.said[seat] } = options;
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
      <b class="k-name" title=${scene.names[seat]}>${shortened(scene.names[seat])}</b>
      ${sign ? mark(sign) : null}
      ${[scene.you === seat && "you", options.dealer && dealer, note].filter(Boolean).map((tag) => html`<span class=${tag === dealer ? "k-tag k-dealer" : "k-tag"} key=${tag}>${tag}</span>`)}
    </div>
    <p class="k-stats"><span>${stats}</span>${status ? html`<span class="k-status">${status}</span>` : null}</p></div>
    ${[body].flat().some(Boolean) ? html`<div class="k-hand">${body}</div>` : null}
    <p class="k-said">${news({ lost, won, said })}</p>
  </section>`;
}

function news({ lost, won, said }) {
  if (lost) return html`<span class="k-bubble is-lost" data-piece="lost">${mark("lost")}<span>${lost}</span></span>`;
  if (won) return html`<span class="k-bubble is-won" data-piece="won">${mark("won")}<span>${won}</span></span>`;
  return said ? bubble(said) : null;
}

// Who won, for the middle of a table whose match is over.
export function winners(scene) {
  const names = scene.names.filter((_, seat) => scene.ranks[seat] === 1);
  return html`<p class="k-title">${mark("won")} ${listed(names)} <span class="k-note">${names.length > 1 ? "share first place" : "wins the match"}</span></p>`;
}

// How many sit left, at the top and right of the one at the bottom; the rest sits beside that one.
const WIDE = { 1: [0, 0, 0], 2: [0, 1, 0], 3: [0, 2, 0], 4: [1, 1, 1], 5: [1, 2, 1], 6: [1, 3, 1], 7: [2, 2, 2], 8: [2, 3, 2], 9: [2, 4, 2], 10: [2, 3, 2] };
const NARROW = { ...WIDE, 9: [3, 2, 3], 10: [3, 3, 3] };
const ROUND_MAX = 10; // more seats stand below the centre at any width

// The table of a scene with `seat` at the bottom (null: seat 0), in playing order clockwise; with many seats a list.
export function table(scene, seat, { centre, place: drawPlace }) {
  const seats = scene.names.length;
  const bottom = seat ?? 0;
  const isRound = seats <= ROUND_MAX;
  const wide = isRound ? slotsOf(seats) : null;
  const narrow = isRound ? slotsOf(seats, NARROW, NARROW_GRID) : null;
  const beside = isRound ? Math.max(1, NARROW[seats][0]) : 0; // rows between the top and the bottom of a narrow table
  return html`<div class="k-board">
    <div class=${classes("k-table", isRound && "is-round", isRound && !NARROW[seats][0] && "is-open")} data-seats=${seats} data-beside=${beside}>
      <div class="k-felt" aria-hidden="true"></div>
      <div class="k-centre" role="group" aria-label="the table">${centre}</div>
      <ol class="k-places">
        ${orderOf(scene, seat).map((each) => {
          const at = (each - bottom + seats) % seats;
          const { columns, rows } = wide?.[at] ?? {};
          const { columns: column, rows: row } = narrow?.[at] ?? {};
          return html`<li key=${each} class=${classes("k-slot", isRound && at === 0 && "is-bottom", ["1", WIDE_GRID.last].includes(rows) && "is-across", each === seat && "is-own")}
            style=${{ "--columns": columns, "--rows": rows, "--column": column, "--row": row }}>${drawPlace(each)}</li>`;
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

// The columns of a table, those of its sides, and how rows between top and bottom are counted.
const WIDE_GRID = { columns: 12, side: 3, last: "4", down: (count) => (count === 1 ? ["2 / span 2"] : ["2", "3"].slice(0, count)) };
const NARROW_GRID = { columns: 12, side: 4, last: "-2", down: (count) => Array.from({ length: count }, (_, at) => `${at + 2}`) };

// Where each seat is in the grid of a table, clockwise from the bottom.
export function slotsOf(seats, sides = WIDE, grid = WIDE_GRID) {
  const [left, top, right] = sides[seats];
  const beside = seats - 1 - left - top - right;
  const bottomRow = acrossOf(beside + 1, grid).map((columns) => ({ columns, rows: grid.last }));
  const middle = Math.floor(bottomRow.length / 2);
  const topRow = acrossOf(top, grid).map((columns) => ({ columns, rows: "1" }));
  const leftSide = grid.down(left).map((rows) => ({ columns: `1 / span ${grid.side}`, rows }));
  const rightSide = grid.down(right).map((rows) => ({ columns: `${1 + grid.columns - grid.side} / span ${grid.side}`, rows }));
  // Clockwise: from the bottom's middle to its left, up the left side, along the top, down the right side.
  return [
    ...bottomRow.slice(0, middle + 1).reverse(),
    ...leftSide.reverse(),
    ...topRow,
    ...rightSide,
    ...bottomRow.slice(middle + 1).reverse(),
  ];
}

function acrossOf(count, { columns }) {
  const span = count > 3 ? 3 : count > 1 ? 4 : 6;
  const first = 1 + (columns - span * count) / 2;
  return Array.from({ length: count }, (_, at) => `${first + at * span} / span ${span}`);
}
