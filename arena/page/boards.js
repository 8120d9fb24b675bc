// How a game is drawn: by its own board.js, or by the names of its fields.

import { html } from "./html.js";
import { withIsolated } from "./drawings/names.js";

// A board for games that have none: the fields of what the viewer observed, and what each seat holds.
function fields(scene, seat) {
  const order = scene.names.map((_, place) => (place + (seat ?? 0)) % scene.names.length);
  return html`<div class="fields">
    <section><h4>Table</h4>${listOf(scene.state)}</section>
    ${order.map((each) => html`<section key=${each} class=${scene.asked.includes(each) ? "to-move" : ""}>
      <h4>${scene.names[each]} ${scene.asked.includes(each) ? html`<small>to move</small>` : ""}</h4>
      ${scene.said[each] ? html`<p>${scene.said[each]}</p>` : ""}
      ${scene.own[each] && scene.own[each] !== scene.state ? listOf(scene.own[each], scene.state) : ""}
    </section>`)}
  </div>`;
}

// The fields of an observation as words; of another one only what is different in it.
function listOf(state, besides) {
  if (!state) return html`<p>The rules failed here.</p>`;
  const entries = Object.entries(state).filter(([name, value]) => value !== null && (!besides || !isSame(value, besides[name])));
  return html`<dl>${entries.map(([name, value]) => html`<div key=${name}><dt>${spaced(name)}</dt><dd>${inWords(value)}</dd></div>`)}</dl>`;
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const spaced = (name) => name.replaceAll("_", " ");

function inWords(value) {
  if (Array.isArray(value)) return value.length ? value.map(inWords).join(value.some((each) => typeof each === "object") ? "; " : " ") : "none";
  if (value && typeof value === "object") return Object.entries(value).map(([name, each]) => `${spaced(name)} ${inWords(each)}`).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? "none" : String(value).replaceAll("_", " ");
}

const FIELDS = { board: fields };

// A module as `board.js` exports it, with its style applied once; without one the fields.
export function boardOf(module) {
  if (!module?.board) return FIELDS;
  if (module.style && !styled.has(module.style)) {
    styled.add(module.style);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(module.style);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  return module;
}

// The scene as the board draws it; by its fields where the board fails, as one of another version can.
export function drawnBy(board, scene, seat, kit) {
  try {
    return withIsolated(board.board(scene, seat, kit), scene.names);
  } catch (error) {
    console.warn(`this scene is shown by its fields, as its board failed: ${error}`);
    return FIELDS.board(scene, seat);
  }
}

// What a board adds to the rules; nothing if it has nothing to add, or fails.
export function guideOf(module, scene, kit) {
  try {
    return module?.guide ? module.guide(scene, kit) : "";
  } catch (error) {
    console.warn(`the rules are told without what the board adds, as that failed: ${error}`);
    return "";
  }
}

// What a board says of chance at a step: sentences; none if it has nothing to say, or fails.
export function chancesSaid(module, scene, kit) {
  try {
    return module?.chances ? module.chances(scene, kit) : [];
  } catch (error) {
    console.warn(`nothing is said of chance, as the board failed: ${error}`);
    return [];
  }
}

const styled = new Set();
