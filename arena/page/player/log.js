// What happened so far, line by line, beside the board of the match player.

import { html, useEffect, useLayoutEffect, useMemo, useRef } from "../html.js";
import { cardWords } from "../drawings/cards.js";
import { isolated } from "../drawings/names.js";
import { amountOf, linesAt, timesAt } from "../film.js";

const LINES_MAX = 400; // what is further back is reached by stepping there
const LIVE_LINES_MAX = 2000; // a list that loses lines at its top jumps, which a match that is followed should not
const FAULT_MAX = 160; // characters of a reason; a bot's page has it whole
const CARD = /\b([2-9TJQKA])([CDHS])\b/g;
const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

// The lines up to the step `place`; a press on one goes to its step.  `spells`: what short codes in them mean,
// "cards" or nothing.
export function Log({ film, viewer, place, go, plays, spells }) {
  const list = useRef(null);
  const known = useMemo(() => [], [film, film.status, viewer]); // by step: steps do not change
  const entries = useMemo(() => {
    const most = film.status === "playing" ? LIVE_LINES_MAX : LINES_MAX;
    let at = place, count = 0;
    for (; at >= 0 && count < most; at--) count += (known[at] ??= entriesAt(film, at, viewer)).length;
    return known.slice(at + 1, place + 1).flat().slice(-most);
  }, [known, place]);
  const toNow = () => { if (list.current) list.current.scrollTop = list.current.scrollHeight; }; // it may be gone by then
  useLayoutEffect(toNow, [entries]);
  useEffect(() => {
    const watcher = new ResizeObserver(toNow);
    watcher.observe(list.current);
    return () => watcher.disconnect();
  }, []);
  const spelt = spells === "cards" ? (text, card) => text.replace(CARD, (code) => (film.names.includes(code) ? code : card(code))) : (text) => text;
  const now = entries.filter((entry) => entry.at === place && entry.text).map((entry) => spelt(entry.text, cardWords)).join(". ");
  return html`<div class="told">
    <ol class="log" data-part="log" ref=${list} tabindex="0" aria-label="What happened so far">
      ${entries.length === 0 && html`<li class="now">The match begins.</li>`}
      ${entries.map((entry) => html`<${Entry} key=${entry.key} ...${{ entry, film, isNow: entry.at === place, go, spelt }} />`)}
    </ol>
    <p class="unseen" aria-live=${plays ? "off" : "polite"} data-part="live">${now}</p>
  </div>`;
}

function entriesAt(film, at, viewer) {
  const found = [];
  if (at && film.steps[at].turn > film.steps[at - 1].turn + 1) found.push({ gap: true });
  const times = film.status === "playing" ? [] : timesAt(film, at, viewer); // while one plays, one's own are noise
  for (const line of linesAt(film, at, viewer)) {
    found.push({ ...line, ms: line.kind === "a" ? times.find(({ seat }) => seat === line.seat)?.ms : undefined });
  }
  for (const [seat, amount] of film.steps[at].lost) if (!film.holding?.[0]) found.push({ kind: "n", text: `${film.names[seat]} loses ${amountOf(film, amount)}` });
  return found.map((entry, each) => ({ ...entry, at, key: `${at}.${each}` }));
}

function Entry({ entry, film, isNow, go, spelt }) {
  if (entry.gap) return html`<li class="gap">Some rounds are left out here.</li>`;
  const limit = film.move_s ? ` of ${film.move_s} s` : "";
  return html`<li class=${`${entry.kind === "h" ? "heading" : entry.kind === "a" ? "act" : "news"}${isNow ? " now" : ""}`} onClick=${() => go(entry.at)}>
    ${isolated(spelt(entry.text, printed), film.names, bold)}
    ${entry.fault && html` <span class="warn" title=${entry.fault}>fault: ${clipped(entry.fault)}</span>`}
    ${entry.ms !== undefined && html` <small title=${`thinking time${limit}`}>${spent(entry.ms)}${limit}</small>`}
  </li>`;
}

const bold = (name) => html`<b><bdi>${name}</bdi></b>`;

// A card as it is printed: "10♣", and no emoji.
const printed = ([rank, suit]) => `${rank === "T" ? "10" : rank}${SUITS[suit]}\uFE0E`;

const clipped = (text) => (text.length > FAULT_MAX ? `${text.slice(0, FAULT_MAX - 1)}…` : text);

function spent(ms) {
  if (ms < 0.1) return "under 0.1 ms";
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
