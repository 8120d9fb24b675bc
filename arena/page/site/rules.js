// The rules of a game, fetched when somebody asks for them: as a person tells them, and the specification below.

import { html, useEffect, useRef, useState } from "../html.js";
import { get } from "./ask.js";
import { Trouble, useAsked } from "./parts.js";
import { symbols } from "./symbols.js";

// A button that opens them; `game` has a name, a title and a board.  At a table `rules` are its house rules, and
// `sceneNow()` gives what its board shows.
export function Rules({ game, rules, sceneNow }) {
  const [isOpen, set] = useState(false);
  return html`<button type="button" class="quiet" aria-haspopup="dialog" aria-label=${`Rules of ${game.title}`} onClick=${() => set(true)}>Rules</button>
    ${isOpen ? html`<${RulesDialog} ...${{ game, rules, sceneNow }} close=${() => set(false)} />` : ""}`;
}

function RulesDialog({ game, rules, sceneNow, close }) {
  const box = useRef(null);
  const { value, refused } = useAsked(() => fetched(game), [game.name]);
  useEffect(() => box.current.showModal(), []);
  const { shown, Guide, module } = value ?? {};
  const house = rules ?? shown?.rules ?? {};
  return html`<dialog class="card rules" ref=${box} aria-label=${`Rules of ${game.title}`} onClose=${close}>
    <div class="head"><h2>Rules of ${game.title}</h2><button type="button" class="leave" onClick=${() => box.current.close()}>Close</button></div>
    <${Trouble} refused=${refused} />
    ${shown?.guide ? html`<${Guide} text=${shown.guide} rules=${{ ...shown.rules, ...house }} module=${module} scene=${sceneNow?.() ?? null} />` : ""}
    ${shown ? html`<${HouseRules} rules=${house} isOfTable=${Boolean(rules)} />` : ""}
    ${shown ? html`<details open=${!shown.guide}><summary>The specification, for authors of bots</summary><${Described} text=${shown.description} /></details>` : ""}
    ${value || refused ? "" : html`<p class="soft">One moment…</p>`}
  </dialog>`;
}

// What the server says of a game, and what draws it.
async function fetched(game) {
  const shown = await get(`/api/games/${encodeURIComponent(game.name)}`);
  if (!shown.guide) return { shown };
  const [{ Guide }, module] = await Promise.all([
    import("./guide.js"), game.board ? import(game.board).catch(() => null) : null, symbols(),
  ]);
  return { shown, Guide, module };
}

// The description has paragraphs between empty lines, and lines that begin with "- " are points.
function Described({ text }) {
  return text.split(/\n\s*\n/).map((part, place) => {
    const [said, ...points] = part.replaceAll("`", "").split(/^- /m).map((each) => each.replace(/\s+/g, " ").trim());
    return html`${said ? html`<p key=${place}>${said}</p>` : ""}
      ${points.length ? html`<ul>${points.map((point) => html`<li key=${point}>${point}</li>`)}</ul>` : ""}`;
  });
}

function HouseRules({ rules, isOfTable }) {
  const names = Object.keys(rules);
  if (!names.length) return "";
  return html`<h3>${isOfTable ? "House rules of this table" : "House rules, unless a table has others"}</h3><dl class="terms">
    ${names.map((name) => html`<div key=${name}><dt>${name.replaceAll("_", " ")}</dt><dd>${ruleSaid(rules[name])}</dd></div>`)}</dl>`;
}

// The value of a house rule in words.
export function ruleSaid(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return String(value).replaceAll("_", " ");
}
