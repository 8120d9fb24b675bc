// The one player of matches: for the report, for stored matches, and for a table that is played now.

import { html, useCallback, useEffect, useMemo, useRef, useState } from "./html.js";
import { boardOf } from "./boards.js";
import { amountOf, linesAt, marksOf, roundsOf, sceneAt, timesAt, viewersOf } from "./film.js";
import { kit } from "./kit.js";

const SPEEDS = [["slow", 2400], ["normal", 1200], ["fast", 500], ["very fast", 150]];
const SWIPE_PX = 40;
const LINES_MAX = 400; // of the list: what is further back is reached by stepping there

const ICONS = {
  first: "M3 3v10M13 3 6 8l7 5z", roundBack: "M8 3 2 8l6 5zM14 3 8 8l6 5z", back: "M11 3 5 8l6 5z",
  play: "M4 2.5v11L13 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3l6 5-6 5z", roundNext: "M8 3l6 5-6 5zM2 3l6 5-6 5z", last: "M13 3v10M3 3l7 5-7 5z",
};
const icon = (name) => html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

// `film`: see film.js; it may grow, and then `version` changes.  `start`: { step, viewer }.
// `onMove(step, viewer)` hears where the player is.  `beside`: markup below the board, such as a person's moves.
export function Player({ film, version = 0, module, start = {}, onMove, seat: own = null, beside = null, embed = false }) {
  const isLive = film.status === "playing";
  const last = film.steps.length - 1;
  const viewers = useMemo(() => viewersOf(film), [film]);
  const [viewer, setViewer] = useState(() => (viewers.some(({ id }) => id === start.viewer) ? start.viewer : viewers[0].id));
  const [at, setAt] = useState(() => bounded(start.step ?? (isLive ? last : 0), last));
  const [follows, setFollows] = useState(isLive);
  const [plays, setPlays] = useState(false);
  const [pace, setPace] = useState(1);
  const root = useRef(null);
  const place = follows ? last : Math.min(at, last);
  const board = boardOf(module);

  const go = useCallback((to, keepsPlaying = false) => {
    const step = bounded(to, film.steps.length - 1);
    setAt(step);
    setFollows(film.status === "playing" && step === film.steps.length - 1);
    if (!keepsPlaying) setPlays(false);
  }, [film]);

  useEffect(() => { onMove?.(place, viewer); }, [place, viewer]);
  useEffect(() => {
    if (!plays) return undefined;
    if (place >= last) { setPlays(false); return undefined; }
    const timer = setTimeout(() => go(place + 1, true), SPEEDS[pace][1]);
    return () => clearTimeout(timer);
  }, [plays, place, pace, last]);

  const rounds = useMemo(() => roundsOf(film, viewer), [film, version, viewer]);
  const marks = useMemo(() => marksOf(film), [film, version]);
  const scene = useMemo(() => sceneAt(film, place, viewer), [film, version, place, viewer, film.status, film.ranks]);
  const toggle = () => { if (!plays && place >= last) go(0, true); setPlays(!plays); };
  const toRound = (by) => {
    const here = rounds.findLastIndex(({ step }) => step <= place);
    go(rounds[here + by]?.step ?? (by < 0 ? 0 : last));
  };
  useKeys(root, { go, toggle, toRound, place, last });
  const swipe = useSwipe((by) => go(place + by));
  const seat = typeof viewer === "number" ? viewer : own;

  return html`<div class=${`player${embed ? " embed" : ""}`} ref=${root} tabindex="-1" role="group" aria-label="Match player">
    ${viewers.length > 1 && html`<${Views} viewers=${viewers} viewer=${viewer} choose=${setViewer} />`}
    <div class="stage">
      <div class="seen">
        <div class="board" data-game=${film.game} ...${swipe}>${board.board(scene, seat, kit)}</div>
        ${beside}
        <${Timeline} ...${{ film, place, last, marks, rounds, go }} />
        <div class="controls">
          <${Control} part="first" name="First step" act=${() => go(0)} off=${place === 0} />
          <${Control} part="round-back" sign="roundBack" name="Round before" act=${() => toRound(-1)} off=${place === 0} />
          <${Control} part="back" name="Step back" act=${() => go(place - 1)} off=${place === 0} />
          <${Control} part="play" sign=${plays ? "pause" : "play"} name=${plays ? "Pause" : "Play"} act=${toggle} off=${last === 0} isMain />
          <${Control} part="next" name="Next step" act=${() => go(place + 1)} off=${place === last} />
          <${Control} part="round-next" sign="roundNext" name="Next round" act=${() => toRound(1)} off=${place === last} />
          <${Control} part="last" name=${isLive ? "To now" : "Last step"} act=${() => go(last)} off=${place === last} />
          <label class="pace"><span class="unseen">Speed</span>
            <select data-part="pace" value=${pace} onChange=${(event) => setPace(Number(event.target.value))}>
              ${SPEEDS.map(([name], each) => html`<option key=${name} value=${each}>${name}</option>`)}
            </select></label>
        </div>
        <p class="where" data-part="where">${whereSaid(film, place, last, isLive && follows)}</p>
      </div>
      <${Log} ...${{ film, version, viewer, place, go, plays }} />
    </div>
  </div>`;
}

// A button that is off keeps the focus, or the keys would be lost at the last step.
function Control({ part, name, act, off, sign = part, isMain = false }) {
  return html`<button type="button" class=${isMain ? "main" : ""} data-part=${part} aria-label=${name} title=${name} aria-disabled=${off} onClick=${() => off || act()}>${icon(sign)}</button>`;
}

const bounded = (step, last) => Math.max(0, Math.min(last, Math.trunc(step) || 0));

function whereSaid(film, place, last, isNow) {
  const step = film.steps[place];
  if (isNow) return step.round ? `Now: round ${step.round}` : "Now";
  const whole = film.first ?? 0;
  const said = `Step ${(place + 1 + whole).toLocaleString("en")} of ${(film.steps_in_all ?? last + 1).toLocaleString("en")}`;
  return `${said}${step.round ? `, round ${step.round}` : ""}${step.turn < 0 ? ", before the first move" : ""}`;
}

function Views({ viewers, viewer, choose }) {
  return html`<fieldset class="views" data-part="views"><legend>As seen by</legend>
    ${viewers.map(({ id, label }) => html`<label key=${id}>
      <input type="radio" name="viewer" checked=${id === viewer} onChange=${() => choose(id)} />${label}</label>`)}
  </fieldset>`;
}

function Timeline({ film, place, last, marks, rounds, go }) {
  const left = (step) => ({ left: `${last ? (100 * step) / last : 0}%` });
  const text = `step ${place + 1} of ${last + 1}`;
  return html`<div class="timeline">
    <input type="range" min="0" max=${last} value=${place} data-part="slider" aria-label="Step" aria-valuetext=${text}
      onInput=${(event) => go(Number(event.target.value))} />
    <div class="ticks" aria-hidden="true">
      ${rounds.length <= 60 && rounds.map(({ step, round }) => html`<i key=${`r${round}`} class="round" style=${left(step)}></i>`)}
      ${marks.map((mark, each) => html`<b key=${each} class=${mark.kind} style=${left(mark.step)} title=${mark.text} onClick=${() => go(mark.step)}></b>`)}
    </div>
    ${(marks.length > 0 || rounds.length > 1) && html`<label class="jump"><span>Jump to</span>
      <select data-part="jump" value="" onChange=${(event) => { if (event.target.value) go(Number(event.target.value)); event.target.value = ""; }}>
        <option value="">a round or a mark</option>
        ${jumps(film, rounds, marks).map(({ step, text: said }, each) => html`<option key=${each} value=${step}>${said}</option>`)}
      </select></label>`}
  </div>`;
}

// Rounds and marks in the order in which they happened.
function jumps(film, rounds, marks) {
  const all = [...rounds.map(({ step, round }) => ({ step, text: `Round ${round}` })), ...marks.map(({ step, text }) => ({ step, text: `  ${text}` }))];
  return all.map((each, order) => ({ ...each, order })).sort((one, other) => one.step - other.step || one.order - other.order);
}

function Log({ film, version, viewer, place, go, plays }) {
  const list = useRef(null);
  const entries = useMemo(() => {
    const found = [];
    for (let at = 0; at <= place; at++) {
      if (at && film.steps[at].turn > film.steps[at - 1].turn + 1) found.push({ at, gap: true });
      const times = timesAt(film, at, viewer);
      for (const line of linesAt(film, at, viewer)) {
        found.push({ at, ...line, ms: line.kind === "a" ? times.find(({ seat }) => seat === line.seat)?.ms : undefined });
      }
      for (const [seat, amount] of film.steps[at].lost) if (!film.holding?.[0]) found.push({ at, kind: "n", text: `${film.names[seat]} loses ${amountOf(film, amount)}` });
    }
    return found.slice(-LINES_MAX);
  }, [film, version, viewer, place]);
  useEffect(() => { if (list.current) list.current.scrollTop = list.current.scrollHeight; }, [entries]);
  const now = entries.filter((entry) => entry.at === place && entry.text).map((entry) => entry.text).join(". ");
  return html`<div class="told">
    <ol class="log" data-part="log" ref=${list} tabindex="0" aria-label="What happened so far">
      ${entries.length === 0 && html`<li class="now">The match begins.</li>`}
      ${entries.map((entry, each) => html`<${Entry} key=${each} ...${{ entry, film, isNow: entry.at === place, go }} />`)}
    </ol>
    <p class="unseen" aria-live=${plays ? "off" : "polite"} data-part="live">${now}</p>
  </div>`;
}

function Entry({ entry, film, isNow, go }) {
  if (entry.gap) return html`<li class="gap">Some rounds are left out here.</li>`;
  const limit = film.move_s ? ` of ${film.move_s} s` : "";
  const isNamed = entry.seat >= 0 && entry.text.startsWith(film.names[entry.seat]);
  const rest = isNamed ? entry.text.slice(film.names[entry.seat].length) : entry.text;
  return html`<li class=${`${entry.kind === "h" ? "heading" : entry.kind === "a" ? "act" : "news"}${isNow ? " now" : ""}`} onClick=${() => go(entry.at)}>
    ${isNamed && html`<b>${film.names[entry.seat]}</b>`}${rest}
    ${entry.fault && html` <span class="warn">fault: ${entry.fault}</span>`}
    ${entry.ms !== undefined && html` <small title=${`thinking time${limit}`}>${spent(entry.ms)}${limit}</small>`}
  </li>`;
}

const spent = (ms) => (ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

// The keys, wherever the focus is while most of the player is in sight; never from who needs them: fields,
// boxes that scroll sideways, and for space buttons and links too.
function useKeys(root, { go, toggle, toRound, place, last }) {
  const now = useRef(null);
  now.current = { go, toggle, toRound, place, last };
  useEffect(() => {
    const hear = (event) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const held = event.target instanceof Element ? event.target : document.body;
      const { go, toggle, toRound, place, last } = now.current;
      const acts = event.shiftKey
        ? { ArrowLeft: () => toRound(-1), ArrowRight: () => toRound(1) }
        : { ArrowLeft: () => go(place - 1), ArrowRight: () => go(place + 1), Home: () => go(0), End: () => go(last), " ": toggle };
      const act = acts[event.key];
      if (!act || needsKeys(held, event.key) || !isInSight(root.current)) return;
      if (!event.key.startsWith("Arrow") && !root.current.contains(held)) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

function needsKeys(element, key) {
  if (element.closest("input, select, textarea, [contenteditable], [role=radiogroup]")) return true;
  if (key === " ") return Boolean(element.closest("button, a, summary"));
  const box = element.closest(".box");
  return Boolean(box && box.scrollWidth > box.clientWidth);
}

function isInSight(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && Math.min(bottom, innerHeight) - Math.max(top, 0) >= Math.min(height, innerHeight) / 2;
}

// Sideways swipes step; what scrolls or can be moved keeps its own.
function useSwipe(step) {
  const from = useRef(null);
  return {
    onTouchStart: (event) => {
      const isOwn = event.touches.length > 1 || event.target.closest("input, button, .box");
      from.current = isOwn ? null : { x: event.touches[0].clientX, y: event.touches[0].clientY };
    },
    onTouchEnd: (event) => {
      if (!from.current) return;
      const { clientX, clientY } = event.changedTouches[0];
      const across = clientX - from.current.x, down = clientY - from.current.y;
      if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? 1 : -1);
      from.current = null;
    },
  };
}
