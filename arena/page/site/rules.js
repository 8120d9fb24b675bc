// The rules of a game, fetched when somebody asks for them.

import { html, useEffect, useRef, useState } from "../html.js";
import { get } from "./ask.js";
import { Trouble, useAsked } from "./parts.js";

// A button that opens them; `game` has a name and a title.
export function Rules({ game }) {
  const [isOpen, set] = useState(false);
  return html`<button type="button" class="quiet" aria-haspopup="dialog" aria-label=${`Rules of ${game.title}`} onClick=${() => set(true)}>Rules</button>
    ${isOpen ? html`<${RulesDialog} game=${game} close=${() => set(false)} />` : ""}`;
}

function RulesDialog({ game, close }) {
  const box = useRef(null);
  const { value, refused } = useAsked(() => get(`/api/games/${encodeURIComponent(game.name)}`), [game.name]);
  useEffect(() => box.current.showModal(), []);
  return html`<dialog class="card rules" ref=${box} aria-label=${`Rules of ${game.title}`} onClose=${close}>
    <div class="head"><h2>Rules of ${game.title}</h2><button type="button" class="leave" onClick=${() => box.current.close()}>Close</button></div>
    <${Trouble} refused=${refused} />
    ${value ? html`<${Described} text=${value.description} /><${HouseRules} rules=${value.rules} />` : ""}
    ${value || refused ? "" : html`<p class="soft">One moment…</p>`}
  </dialog>`;
}

// The description has paragraphs between empty lines, and lines that begin with "- " are points.
function Described({ text }) {
  return text.split(/\n\s*\n/).map((part, place) => {
    const [said, ...points] = part.replaceAll("`", "").split(/^- /m).map((each) => each.replace(/\s+/g, " ").trim());
    return html`${said ? html`<p key=${place}>${said}</p>` : ""}
      ${points.length ? html`<ul>${points.map((point) => html`<li key=${point}>${point}</li>`)}</ul>` : ""}`;
  });
}

function HouseRules({ rules }) {
  const names = Object.keys(rules);
  if (!names.length) return "";
  return html`<h3>House rules, unless a table has others</h3><dl class="terms">
    ${names.map((name) => html`<div key=${name}><dt>${name.replaceAll("_", " ")}</dt><dd>${ruleSaid(rules[name])}</dd></div>`)}</dl>`;
}

// The value of a house rule in words.
export function ruleSaid(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return String(value).replaceAll("_", " ");
}
