// Playing cards: two characters each, rank and suit ("TS"); "*" for a rank or suit that is left open.
import { html } from "../html.js";
import { optionsOf } from "./dice.js";
import { classes, counted, numberWord } from "./words.js";

const RANKS = {
  A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king",
};
const ROW_MAX = 12; // cards that move closer together to stay in one row; more are wrapped
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };

// "five of hearts", "ace" (of any suit), "heart" (of any rank).
export function cardWords(text) {
  if (text === null) return "face down card";
  const [rank, suit] = text;
  if (suit === "*") return RANKS[rank] ?? "any card";
  return rank === "*" ? SUITS[suit].slice(0, -1) : `${RANKS[rank]} of ${SUITS[suit]}`;
}

// One card; null: its back. marked: it counts; dim: it does not; raised: chosen or new; claimed: only spoken
// of (an outline); small; number: written below it, to count along.
export function card(text, options = {}) {
  const words = cardWords(text) + (options.marked ? ", counts" : "");
  return html`<span class="k-one" role="img" aria-label=${options.label ?? words}>${drawn(text, options)}</span>`;
}

// An overlapping row: cards (null: backs), or how many backs. The options of a card go for all; of `marked`,
// `dim`, `raised`, `claimed` and `number` also a function of (card, place). loose: they do not overlap.
export function cards(list, options = {}) {
  const all = Array.isArray(list) ? list : Array(list).fill(null);
  const { label, loose, ...others } = options;
  const each = all.map((text, at) => optionsOf(others, text, at));
  return html`<span
    class=${classes("k-row k-cards", loose && "is-loose", all.length > ROW_MAX && !loose && "is-many", options.small && "is-small")}
    role="img"
    aria-label=${label ?? rowWords(all, each)}
  >
    ${all.map((text, at) => drawn(text, each[at]))}
  </span>`;
}

function drawn(text, { marked, dim, raised, small, claimed, number }) {
  const hidden = text === null;
  const [rank, suit] = text ?? "**";
  return html`<span
    class=${classes("k-card", hidden && "is-hidden", marked && "is-marked", dim && "is-dim", raised && "is-raised", small && "is-small", claimed && "is-claimed")}
    data-suit=${suit}
    data-piece=${claimed ? "claim" : "card"}
    data-face=${text}
    aria-hidden="true"
  >
    <svg viewBox="0 0 44 62" focusable="false">
      <rect class="k-body" x="1" y="1" width="42" height="60" rx="6" />
      ${hidden ? html`<use href="#s-card-back" />` : face(rank, suit)}
    </svg>
    ${number ? html`<small class="k-number">${number}</small>` : null}
  </span>`;
}

function face(rank, suit) {
  const isTen = rank === "T";
  const sign = isTen ? "10" : rank;
  const index = rank === "*" ? null : html`<text class=${classes(isTen && "k-ten")} x=${isTen ? 12 : 11.5} y="20" text-anchor="middle">${sign}</text>`;
  if (suit === "*") return html`${index}<text class=${classes("k-large", isTen && "k-ten")} x="25" y="49" text-anchor="middle">${sign}</text>`;
  return html`${index}
    <use href=${`#s-suit-${suit}`} x="5" y=${rank === "*" ? 6 : 24} width="13" height="13" />
    <use href=${`#s-suit-${suit}`} x="18" y="35" width="21" height="21" />`;
}

function rowWords(list, each) {
  if (!list.length) return "no cards";
  const hidden = list.filter((text) => text === null).length;
  const counts = each.filter(({ marked }) => marked).length;
  return [
    ...list.filter((text) => text !== null).map(cardWords),
    hidden ? `${counted(hidden, "card")} face down` : "",
    counts ? `${numberWord(counts)} of them ${counts === 1 ? "counts" : "count"}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}
