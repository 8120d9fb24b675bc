// Chips, and a pile of cards in the middle.
import { html } from "../html.js";
import { classes, counted } from "./words.js";
import { card } from "./cards.js";

const SHEETS_MAX = 8; // of a pile that are drawn; more would be a block

// An amount of chips: a chip and the number. label: what it is ("pot").
export function chips(amount, { label = "", dim } = {}) {
  const number = amount.toLocaleString("en");
  return html`<span class=${classes("k-chips", dim && "is-dim")} data-piece="chips" data-face=${amount}>
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><use href="#s-chip" /></svg>
    ${label ? html`<span class="k-label">${label}</span>` : null}<b>${number}</b>
  </span>`;
}

// A pile of so many cards, face down.
export function pile(count) {
  const sheets = Math.min(count, SHEETS_MAX);
  return html`<span class="k-pile" data-piece="pile" data-face=${count} role="img" aria-label=${`a pile of ${counted(count, "card")}`}>
    ${Array.from({ length: sheets }, (_, at) => html`<span class="k-sheet" style=${{ "--at": at }}>${card(null)}</span>`)}
    <b aria-hidden="true">${count}</b>
  </span>`;
}
