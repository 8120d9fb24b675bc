// The match player: a film with its board, its timeline, and what happened in words.  For the report, for stored
// matches, and for a table that is played now.

import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { boardOf, drawnBy } from "./boards.js";
import { linesAt, marksOf, roundName, roundsOf, sceneAt, viewersOf } from "./film.js";
import { useKeys, useSwipe } from "./player/gestures.js";
import { kit } from "./kit.js";
import { isolated } from "./drawings/names.js";
import { Ahead } from "./player/ahead.js";
import { decidedAt, Ending } from "./player/ending.js";
import { useFit } from "./player/fit.js";
import { Log } from "./player/log.js";
import { useMotion } from "./player/motion.js";
import { PACES, usePlace } from "./player/place.js";
import { isHeard, sound, soundOf, switchSounds } from "./player/sounds.js";
import { Tabs } from "./player/tabs.js";

const NEAR_STEPS = 2; // whoever is no further behind sees what happens now
const RESULT_MS = 4000; // for the end of a match that was read, before the next one
const ROUNDS_MARKED_MAX = 60; // more are no help on a timeline
const SIGNS = { mark: "●", out: "■", fault: "▲", swing: "◆", decided: "★" };

const ICONS = {
  first: "M3 3v10M13 3 6 8l7 5z", roundBack: "M8 3 2 8l6 5zM14 3 8 8l6 5z", back: "M11 3 5 8l6 5z",
  play: "M4 2.5v11L13 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3l6 5-6 5z", roundNext: "M8 3l6 5-6 5zM2 3l6 5-6 5z", last: "M13 3v10M3 3l7 5-7 5z",
  sound: "M2 6v4h2.500l3 3V3l-3 3zM10 5.500q2 2.500 0 5", silent: "M2 6v4h2.500l3 3V3l-3 3zM10.500 6l3.500 4M14 6l-3.500 4",
  whole: "M2 6V2h4l-4 4zM10 2h4v4l-4-4zM14 10v4h-4l4-4zM6 14H2v-4l4 4z",
};
const icon = (name) => html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

// `film`: see film.js; it may grow, and then `version` changes, or a film with other steps of the match takes its place.  `module`: what the game's board.js exports, or null.
// `start`: { step, viewer, plays }.  `onMove(step, viewer)` hears where the player is.  `seat`: who sits at the bottom.
// `link(step, viewer)`: the address of a moment, or nothing.  `beside`: markup of the dock below or beside the board, such
// as a person's moves, or a function that is given that of the ending.  `tabs`: what shares its place with the log, as
// Tabs takes them.  `reads`: a live film is shown at reading speed.  `isOld`: another match is played meanwhile, and
// `onNext(isNow)` is called to go on to it, at what is played now or from its start.  `isCalled`: whoever looks on is to move.
// `watches`: nobody who looks on will be asked.
export function Player({
  film, version = 0, module, start = {}, onMove, seat: own = null, beside = null, link = null, tabs = [],
  reads = false, isOld = false, onNext, isCalled = false, watches = false,
}) {
  const isLive = film.status === "playing";
  const last = film.steps.length - 1;
  const viewers = useMemo(() => viewersOf(film), [film]);
  const [wished, setViewer] = useState(start.viewer);
  const viewer = viewers.some(({ id }) => id === wished) ? wished : viewers[0].id;
  const board = boardOf(module);
  const { place, mode, go, move, toggle, pace, setPace, shown } = usePlace({ film, start, reads, viewer, board });
  const root = useRef(null), drawn = useRef(null), dock = useRef(null), ghosts = useRef(null);
  const behind = mode === "reads" ? last - place : 0;
  const plays = mode === "plays" || (behind > 0 && !isLive);
  const isBehind = behind > (isLive ? NEAR_STEPS : 0);
  const isBack = isLive && (mode === "stays" || mode === "plays");
  const hasBar = !isLive || isBack;

  useEffect(() => { onMove?.(place, viewer); }, [place, viewer]);
  const isRead = isOld && mode === "reads" && behind === 0;
  useEffect(() => {
    if (!isRead) return undefined;
    const timer = setTimeout(() => onNext(false), RESULT_MS);
    return () => clearTimeout(timer);
  }, [isRead]);
  useEffect(() => { if (isCalled) sound("turn"); }, [isCalled]);
  // What only the bar shows is not counted anew at each step of a match that is followed.
  const counted = hasBar ? version : -1;
  const rounds = useMemo(() => (hasBar ? roundsOf(film, viewer) : []), [film, counted, viewer, hasBar]);
  const marks = useMemo(() => (hasBar ? withDecided(marksOf(film), film) : []), [film, counted, film.status, film.decided, hasBar]);
  const seat = typeof viewer === "number" ? viewer : own;
  const scene = useMemo(() => sceneAt(film, shown.step, viewer, shown.beat), [film, shown.step, shown.beat, shown.step === last, viewer, film.status, film.ranks]);
  const picture = useMemo(() => drawnBy(board, scene, seat, kit), [board, scene, seat]);
  const toRound = (by) => {
    const here = rounds.findLastIndex(({ step }) => step <= place);
    go(rounds[here + by]?.step ?? (by < 0 ? 0 : last));
  };
  useKeys(root, { go, move, toggle, toRound, last });
  useFit(drawn, dock, film, scene);
  useMotion(drawn, ghosts, { film, viewer, ...shown }, scene, soundOf);
  const swipe = useSwipe(move);

  const told = shown.beat === null ? place : shown.step - 1; // what the beats are about to show is not said before
  const log = useMemo(() => html`<${Log} ...${{ film, viewer, place: told, go, plays, spells: board.spells }} />`, [film, film.status, viewer, told, go, plays, board]);

  const sayNow = () => linesAt(film, place, viewer).map(({ text }) => text).join(". ");
  const ending = film.ranks && html`<${Ending} ...${{ film, place, viewer, go, link, board: drawn, said: sayNow }} />`;

  return html`<div class=${`player${beside ? " at-a-table" : ""}${watches ? " watching" : ""}`} ref=${root} tabindex="-1" role="group" aria-label="Match player">
    ${viewers.length > 1 && html`<${Views} viewers=${viewers} viewer=${viewer} choose=${setViewer} />`}
    <div class="stage">
      <div class="board" ref=${drawn} data-game=${film.game} ...${swipe}>${picture}<div class="k-board k-ghosts" aria-hidden="true" ref=${ghosts}></div></div>
      <div class="dock" ref=${dock}>
        ${isBack && html`<p class="back-there">You are looking back; the match goes on. <button type="button" data-part="now" onClick=${() => go(last)}>Back to live</button></p>`}
        ${!hasBar && html`<div class="looking">
          ${isBehind && mode === "reads" && html`<${Pace} ...${{ pace, setPace }} />`}<${Control} part="back" name="Step back" act=${() => move(-1)} off=${place === 0} /><${Sounds} /><${Whole} root=${root} /></div>`}
        ${(isBehind || isOld) && html`<p class="behind"><span>${behindSaid(behind, isOld)}</span>
          <button type="button" data-part="now" onClick=${() => (isOld ? onNext(true) : go(last))}>${isLive || isOld ? "Live" : "To the end"}</button></p>`}
        ${!hasBar && html`<p class="unseen" data-part="where">${nowSaid(film, place, viewer)}</p>`}
        ${isBehind ? null : isOld ? ending : typeof beside === "function" ? beside(ending) : beside}
        ${hasBar && html`<div class="bar">
          <${Timeline} ...${{ place, last, marks, rounds, go }} />
          <${Ahead} ...${{ film, version, place, last }} />
          <div class="controls">
            <${Control} part="first" name="First step" act=${() => go(0)} off=${place === 0} />
            <${Control} part="round-back" sign="roundBack" name="Previous round" act=${() => toRound(-1)} off=${place === 0} />
            <${Control} part="back" name="Step back" act=${() => move(-1)} off=${place === 0} />
            <${Control} part="play" sign=${plays ? "pause" : "play"} name=${plays ? "Pause" : "Play"} act=${toggle} off=${last === 0} isMain />
            <${Control} part="next" name="Next step" act=${() => move(1)} off=${place === last} />
            <${Control} part="round-next" sign="roundNext" name="Next round" act=${() => toRound(1)} off=${place === last} />
            <${Control} part="last" name=${isLive ? "Back to live" : "Last step"} act=${() => go(last)} off=${place === last} />
            <${Sounds} /><${Whole} root=${root} />
          </div>
        </div>
        <div class="whereabouts">
          <p class="where" data-part="where">${whereSaid(film, place, last, rounds)}${marksSaid(marks, place, film.names)}</p>
          <${Jump} ...${{ place, marks, rounds, go }} />
          <${Pace} ...${{ pace, setPace }} />
        </div>`}
      </div>
      ${tabs.length ? html`<${Tabs} tabs=${[{ id: "log", title: "Log", body: log }, ...tabs]} />` : log}
    </div>
    ${typeof beside === "function" || isOld ? null : ending}
  </div>`;
}

// A button that is off keeps the focus, or the keys would be lost at the last step.
function Control({ part, name, act, off, sign = part, isMain = false }) {
  return html`<button type="button" class=${isMain ? "main" : ""} data-part=${part} aria-label=${name} title=${name} aria-disabled=${off} onClick=${() => off || act()}>${icon(sign)}</button>`;
}

// How fast it plays, or is read.
function Pace({ pace, setPace }) {
  return html`<label class="pace"><span>Speed</span>
    <select data-part="pace" aria-label="Speed" value=${pace} onChange=${(event) => setPace(Number(event.target.value))}>
      ${PACES.map(([name], each) => html`<option key=${name} value=${each}>${name}</option>`)}
    </select></label>`;
}

// Sounds on or off.
function Sounds() {
  const [isOn, set] = useState(isHeard);
  const turn = () => { switchSounds(); set(isHeard()); };
  return html`<button type="button" data-part="sound" aria-label="Sounds" title=${isOn ? "Sounds are on" : "Sounds are off"} aria-pressed=${String(isOn)} onClick=${turn}>${icon(isOn ? "sound" : "silent")}</button>`;
}

// Everything on the whole screen, and back; where a browser has that.
function Whole({ root }) {
  if (!document.fullscreenEnabled) return null;
  const turn = () => (document.fullscreenElement ? document.exitFullscreen() : root.current.requestFullscreen());
  return html`<${Control} part="whole" name="Full screen" act=${() => turn().catch(() => {})} off=${false} />`;
}

function behindSaid(behind, isOld) {
  if (isOld) return "Another match has begun.";
  return behind === 1 ? "A step behind." : `${behind.toLocaleString("en")} steps behind.`;
}

// What a match that is followed has come to.
function nowSaid(film, place, viewer) {
  const { round } = film.steps[place];
  if (!round) return "Now";
  return `Now: ${roundName(film, film.steps.findLastIndex((each, at) => at <= place && film.steps[at - 1]?.round !== round && each.round === round), viewer)}`;
}

function whereSaid(film, place, last, rounds) {
  const step = film.steps[place];
  const round = step.round ? rounds.findLast((each) => each.step <= place)?.name ?? `round ${step.round}` : "";
  const whole = film.first ?? 0;
  const said = `Step ${(place + 1 + whole).toLocaleString("en")} of ${(film.steps_in_all ?? last + 1).toLocaleString("en")}`;
  return `${said}${/\d/.test(round) ? `, ${round}` : ""}${step.turn < 0 ? ", before the first move" : ""}`;
}

// The marks of a step beside its number, so that what the timeline's signs mean is learnt by the way.
function marksSaid(marks, place, names) {
  return marks.filter(({ step }) => step === place)
    .map(({ kind, text }, each) => html` <span key=${each} class=${`sign ${kind}`}><span aria-hidden="true">${SIGNS[kind]} </span>${isolated(text, names)}</span>`);
}

// The marks with that of the step that decided the match.
function withDecided(marks, film) {
  const step = decidedAt(film);
  return step < 0 ? marks : [...marks, { step, text: "this decided it", kind: "decided" }].sort((one, other) => one.step - other.step);
}

function Views({ viewers, viewer, choose }) {
  return html`<fieldset class="views" data-part="views"><legend>As seen by</legend>
    ${viewers.map(({ id, label }) => html`<label key=${id}>
      <input type="radio" name="viewer" checked=${id === viewer} onChange=${() => choose(id)} /><bdi>${label}</bdi></label>`)}
  </fieldset>`;
}

// The slider and below it what happened when.  The signs are for the eye and the mouse; the list of jumps has them all.
function Timeline({ place, last, marks, rounds, go }) {
  const left = (step) => ({ left: `${last ? (100 * step) / last : 0}%` });
  return html`<div class="timeline">
    <input type="range" min="0" max=${last} value=${place} data-part="slider" aria-label="Step" aria-valuetext=${`step ${place + 1} of ${last + 1}`}
      onInput=${(event) => go(Number(event.target.value))} />
    <div class="ticks" aria-hidden="true">
      ${rounds.length <= ROUNDS_MARKED_MAX && rounds.map(({ step, round }) => html`<i key=${`r${round}`} class="round" style=${left(step)}></i>`)}
      ${marks.map((mark, each) => html`<b key=${each} class=${mark.kind} style=${left(mark.step)} title=${mark.text} onClick=${() => go(mark.step)}></b>`)}
    </div>
  </div>`;
}

// It stands at the last round or mark that was passed, so that arrow keys lead on from there.
function Jump({ place, marks, rounds, go }) {
  const jumps = useMemo(() => jumpsOf(rounds, marks), [rounds, marks]);
  const [picked, pick] = useState(0);
  if (jumps.length < 3) return null;
  const here = jumps[picked]?.step === place ? picked : Math.max(0, jumps.findLastIndex(({ step }) => step <= place));
  const choose = (event) => {
    const chosen = Number(event.target.value);
    pick(chosen);
    go(jumps[chosen].step);
  };
  return html`<label class="jump"><span>Jump to</span>
    <select data-part="jump" value=${here} onChange=${choose}>
      ${jumps.map(({ text }, each) => html`<option key=${each} value=${each}>${text}</option>`)}
    </select></label>`;
}

// The start, then rounds and marks in the order in which they happened.
function jumpsOf(rounds, marks) {
  const all = [
    { step: 0, text: "Start" },
    ...rounds.map(({ step, name }) => ({ step, text: name.charAt(0).toUpperCase() + name.slice(1) })),
    ...marks.map(({ step, text, kind }) => ({ step, text: `\u2003${SIGNS[kind]} ${text}` })),
  ];
  return all.map((each, order) => ({ ...each, order })).sort((one, other) => one.step - other.step || one.order - other.order);
}
