// Names in texts: isolated, so that one that is written from right to left turns nothing round beside it.
import { html } from "../html.js";

const TAIL = 3; // letters that stay of a name that is too long for its place,
const SHORT_MAX = 9; // and so long may one be that is never shortened

// The text with each of the names in it isolated: itself, or a list of texts and markup.  `drawn`: the markup of a name.
export function isolated(text, names, drawn = (name) => html`<bdi>${name}</bdi>`) {
  const parts = text.split(patternOf(names));
  return parts.length < 2 ? text : parts.map((part, at) => (at % 2 ? drawn(part) : part)).filter(Boolean);
}

// Whole words only, the longest first: a bot may be called "a".
function patternOf(names) {
  const key = names.join("\n");
  if (patterns.key !== key) {
    const all = [...new Set(names)].filter(Boolean).sort((one, other) => other.length - one.length);
    const escaped = all.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    patterns.key = key;
    patterns.found = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|") || "(?!)"})(?![\\p{L}\\p{N}])`, "u");
  }
  return patterns.found;
}

const patterns = { key: null, found: null }; // those of the table that is drawn

// The markup of a board with the names isolated wherever it writes them.
export function withIsolated(markup, names) {
  if (typeof markup === "string") return isolated(markup, names);
  if (Array.isArray(markup)) return markup.map((each) => withIsolated(each, names));
  const inside = markup?.props?.children;
  if (inside !== undefined && typeof markup.type !== "function" && markup.type !== "bdi" && markup.type !== "svg") {
    markup.props.children = withIsolated(inside, names);
  }
  return markup;
}

// A name that loses letters in its middle where there is no room for all of it.
export function shortened(name) {
  const letters = lettersOf(name);
  if (letters.length <= SHORT_MAX) return html`<bdi>${name}</bdi>`;
  const [start, end] = [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
  const joiner = JOINED.test(start.at(-1) + end[0]) ? "\u200d" : ""; // keeps the shape of letters that are written joined
  return html`<bdi class="k-long"><span>${start}${joiner}</span><span>${joiner}${end}</span></bdi>`;
}

// As people see them: a flag is one, and so is a hand with its colour.
const lettersOf = (name) => (globalThis.Intl?.Segmenter ? [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment) : [...name]);
const JOINED = /^\p{Script=Arabic}{2}$/u;
