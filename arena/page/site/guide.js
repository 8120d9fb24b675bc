// The rules of a game as a person tells them, with cards, dice and the like drawn, and what its board has to add.
// The text is Markdown without links, with the marks that `arena/telling/guide.py` reads in the same way.

import { guideOf } from "../boards.js";
import { html } from "../html.js";
import { kit } from "../kit.js";
import { ruleSaid } from "./rules.js";

const WHEN = /^when (\w+) is (\w+): /;
const MARK = /\[([^\[\]]{1,20})\]/;

// `rules`: the house rules of the table, or the usual ones; `module`, `scene`: the board and what it shows now, or null.
export function Guide({ text, rules, module, scene }) {
  const filled = text.replace(/\{(\w+)\}/g, (written, name) => (!(name in rules) ? written : typeof rules[name] === "number" ? rules[name].toLocaleString("en") : ruleSaid(rules[name])));
  return html`<div class="guide">${filled.split(/\n\s*\n/).map((part, at) => html`<${Part} key=${at} text=${part.trim()} rules=${rules} first=${at === 0} />`)}
    ${guideOf(module, scene, kit)}</div>`;
}

function Part({ text, rules, first }) {
  if (text.startsWith("## ")) return html`<h3>${text.slice(3)}</h3>`;
  if (!text.startsWith("- ")) return html`<p class=${first ? "lead" : null}>${spoken(text)}</p>`;
  const points = text.split(/^- /m).filter(Boolean).filter((point) => {
    const [, name, value] = WHEN.exec(point) ?? [];
    return name === undefined || String(rules[name]) === value;
  });
  return html`<ul>${points.map((point) => html`<li key=${point}>${spoken(point.replace(WHEN, ""))}</li>`)}</ul>`;
}

// A text with what stands in brackets drawn; what stands side by side stays together.
const spoken = (text) => text.replace(/\s+/g, " ").split(/((?:\[[^\[\]]{1,20}\] ?)+)/).map((part, at) => (at % 2
  ? html`<span key=${at} class="drawn">${part.split(MARK).filter((_, each) => each % 2).map(drawn)}</span>${part.endsWith(" ") ? " " : ""}` : part));

function drawn(mark) {
  if (/^[1-6]$/.test(mark)) return kit.die(Number(mark));
  if (/^[2-9TJQKA][CDHS]$/.test(mark)) return kit.card(mark, { small: true });
  if (mark === "live" || mark === "blank") return kit.shell(mark);
  const item = mark.replaceAll(" ", "");
  return document.getElementById(`s-item-${item}`) ? kit.item(item) : html`<b>${mark}</b>`;
}
