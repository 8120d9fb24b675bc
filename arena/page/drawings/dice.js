// Dice: pips up to six, a number above, hatched where the face is hidden.
import { html } from "../html.js";
import { classes, counted, numberWord } from "./words.js";

const PIPS_MAX = 6;

// One die. face: a number, or null for one that is face down. marked: it counts; dim: it does not;
// claimed: not on the table, only spoken of (an outline); small; number: written below it, to count along.
export function die(face, options = {}) {
  return html`<span class="k-one" role="img" aria-label=${words(face, options)}>${drawn(face, options)}</span>`;
}

// A row of dice: faces (null: face down), or how many are face down. The options of a die go for all;
// of `marked`, `dim`, `claimed` and `number` also a function of (face, place).
export function dice(faces, options = {}) {
  const all = Array.isArray(faces) ? faces : Array(faces).fill(null);
  const { label, ...others } = options;
  const each = all.map((face, at) => optionsOf(others, face, at));
  return html`<span class="k-row k-dice" role="img" aria-label=${label ?? rowWords(all, each)}>
    ${all.map((face, at) => drawn(face, each[at]))}
  </span>`;
}

export function optionsOf(options, ...arguments_) {
  const values = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === "function" ? value(...arguments_) : value,
  ]);
  return Object.fromEntries(values);
}

function drawn(face, { marked, dim, small, claimed, number }) {
  const hidden = face === null;
  return html`<span
    class=${classes("k-die", hidden && "is-hidden", marked && "is-marked", dim && "is-dim", small && "is-small", claimed && "is-claimed")}
    data-piece=${claimed ? "claim" : "die"}
    data-face=${face}
    aria-hidden="true"
  >
    <svg viewBox="0 0 32 32" focusable="false">
      <rect class="k-body" x="1.5" y="1.5" width="29" height="29" rx="7" />
      ${hidden
        ? html`<use href="#s-die-back" />`
        : face <= PIPS_MAX
          ? html`<use href=${`#s-die-${face}`} />`
          : html`<text x="16" y="21.5" text-anchor="middle">${face}</text>`}
    </svg>
    ${number ? html`<small class="k-number">${number}</small>` : null}
  </span>`;
}

const words = (face, { marked } = {}) => (face === null ? "face down die" : `a ${face}${marked ? ", counts" : ""}`);

function rowWords(faces, each) {
  if (!faces.length) return "no dice";
  const hidden = faces.filter((face) => face === null).length;
  const shown = faces.filter((face) => face !== null);
  const counts = each.filter(({ marked }) => marked).length;
  return [
    shown.length ? `dice ${shown.join(" ")}` : "",
    hidden ? `${counted(hidden, "die", "dice")} face down` : "",
    counts ? `${numberWord(counts)} of them ${counts === 1 ? "counts" : "count"}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}
