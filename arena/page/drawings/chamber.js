// A revolver's chamber: its rounds, and the items that players hold.
import { html } from "../html.js";
import { classes, counted } from "./words.js";

const SHELLS = { live: "live round", blank: "blank round" };

// One round: "live", "blank", or null for one that nobody may see.
export function shell(kind, { dim } = {}) {
  const sign = kind ?? "hidden";
  return html`<span class=${classes("k-shell", `is-${sign}`, dim && "is-dim")} role="img" aria-label=${SHELLS[kind] ?? "unknown round"}>
    <svg viewBox="0 0 14 28" aria-hidden="true" focusable="false"><use href=${`#s-shell-${sign}`} /></svg>
  </span>`;
}

// What is left in the chamber, by kind; nobody knows the order.
export function chamber({ live, blank }) {
  const rounds = [...Array(live).fill("live"), ...Array(blank).fill("blank")];
  return html`<span class="k-chamber">
    <span class="k-row" role="img" aria-label=${`${counted(live, "live round")}, ${counted(blank, "blank")}`}>
      ${rounds.map((kind) => html`<span aria-hidden="true">${shell(kind)}</span>`)}
    </span>
    <span class="k-words"><b>${live}</b> live, <b>${blank}</b> blank</span>
  </span>`;
}

// An item by its name ("AddLife").
export function item(name, { dim } = {}) {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return html`<span class=${classes("k-item", dim && "is-dim")} title=${words}>
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><use href=${`#s-item-${name}`} /></svg>
    <span>${words}</span>
  </span>`;
}
