// A revolver's chamber and its shells, the items that players hold, and lives.
import { html } from "../html.js";
import { classes, counted } from "./words.js";

const SHELLS = { live: "live shell", blank: "blank shell" };
const RINGS = [[14, 36], [26, 22], [Infinity, 9]]; // up to so many holes in all, and how far from the middle the next ring is
const HEARTS_MAX = 8; // that are drawn one by one; of more there is one heart, and the number says how many

// One shell: "live", "blank", or null for one that nobody may see.
export function shell(kind, { dim, label } = {}) {
  return html`<span class="k-one" role="img" aria-label=${label ?? SHELLS[kind] ?? "unknown shell"}>${drawn(kind, dim)}</span>`;
}

const drawn = (kind, dim = false) => html`<span class=${classes("k-shell", `is-${kind ?? "hidden"}`, dim && "is-dim")} data-piece="shell" data-face=${kind} aria-hidden="true">
  <svg viewBox="0 0 14 28" focusable="false"><use href=${`#s-shell-${kind ?? "hidden"}`} /></svg></span>`;

// What is left in the chamber, by kind; nobody knows the order. next: the shell that is fired next, where it is known.
export function chamber({ live, blank, next = null }) {
  return html`<div class="k-chamber">
    ${cylinder(live + blank, next)}
    <ul class="k-shells">
      ${[["live", live], ["blank", blank]].map(([kind, count]) => html`<li key=${kind}>
        <span class="k-words"><b>${count}</b> ${kind}</span>
        <span class="k-row" aria-hidden="true">${Array.from({ length: count }, () => drawn(kind))}</span>
      </li>`)}
    </ul>
  </div>`;
}

// The cylinder seen from behind: a hole for each shell, the next one at the top.
function cylinder(count, next) {
  const words = `chamber with ${counted(count, "shell")}${next ? `, the next one ${next}` : ""}`;
  return html`<svg class="k-cylinder" data-piece="cylinder" data-face=${count} viewBox="0 0 100 100" role="img" aria-label=${words} focusable="false">
    <circle class="k-body" cx="50" cy="52" r="46" />
    ${holesOf(count).map(([x, y], at) => html`<circle key=${at} class=${classes("k-hole", at === 0 && "is-next", at === 0 && next && `is-${next}`)} cx=${x} cy=${y} r=${at === 0 ? 8 : 6.2} />`)}
    ${count ? html`<path class="k-pointer" d="M50 7.500l-4.500-7h9z" />` : null}
    ${next && count <= RINGS[0][0] ? html`<text x="50" y="58" text-anchor="middle">${next}</text>` : null}
  </svg>`;
}

// Where the holes are: in a ring, and in rings inside it if there are many.
function holesOf(count) {
  const holes = [];
  let before = 0;
  for (const [upTo, radius] of RINGS) {
    const here = Math.max(0, Math.min(count, upTo) - before);
    for (let at = 0; at < here; at++) {
      const angle = (2 * Math.PI * at) / here - Math.PI / 2;
      holes.push([round(50 + radius * Math.cos(angle)), round(52 + radius * Math.sin(angle))]);
    }
    before += here;
  }
  return holes;
}

const round = (number) => Math.round(10 * number) / 10;

// "DoubleDamage" as it is said: "Double Damage".
export const itemWords = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2");

// An item by its name ("AddLife"): its symbol and what it is called. count: how many of it; on: its effect is on.
export function item(name, { dim, on, count = 1 } = {}) {
  return html`<span class=${classes("k-item", dim && "is-dim", on && "is-on")} title=${itemWords(name)}>
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><use href=${`#s-item-${name}`} /></svg>
    <span>${itemWords(name)}</span>${count > 1 ? html`<b>×${count}</b>` : null}
  </span>`;
}

// Lives as hearts, and in words.
export function lives(count) {
  const hearts = count > HEARTS_MAX ? 1 : count;
  return html`<span class="k-lives" data-piece="lives" data-face=${count}>
    ${hearts > 0 ? html`<span class="k-hearts" aria-hidden="true">${Array.from({ length: hearts }, () => html`<svg viewBox="0 0 24 24" focusable="false"><use href="#s-suit-H" /></svg>`)}</span>` : null}
    <span>${count > HEARTS_MAX ? html`<span aria-hidden="true">× </span>` : null}${count === 1 ? "1 life" : `${count} lives`}</span>
  </span>`;
}
