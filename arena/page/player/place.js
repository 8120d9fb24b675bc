// At which step of a film the match player is, what moves it on, and which part of a step is shown: a showdown may be
// told in several beats, which the board lists.

import { useCallback, useEffect, useRef, useState } from "../html.js";
import { sceneAt } from "../film.js";
import { kit } from "../kit.js";
import { isStill, STEPS_MAX } from "./motion.js";

export const PACES = [["½×", 2400], ["1×", 1200], ["2×", 600], ["8×", 150]];
const BEAT_MS = [120, 800]; // the shortest and the longest beat
const BEATS_PACES = 2; // all beats of a step take no longer than so many usual steps
const BEATLESS_MS = 150; // at a quicker pace than this nothing is told in beats

// `start`: { step, plays }, where to begin, and whether it plays on from there.  `reads`: a live film is not followed at once but read, step by step.
// What is given has `mode`: "follows" what is played now, "reads", "plays" on by itself, or "stays"; `place`: the step;
// `shown`: the step and beat to be drawn, which may lag behind.
export function usePlace({ film, start: { step: first, plays: isStarted }, reads, viewer, board }) {
  const isLive = film.status === "playing";
  const last = film.steps.length - 1;
  const begins = (step) => (reads && (isLive || step !== undefined) ? "reads" : isLive ? "follows" : "stays");
  const [kept, setAt] = useState(() => bounded(first ?? (isLive ? last : 0), last));
  const [mode, setMode] = useState(() => (isStarted ? "plays" : begins(first)));
  const [pace, setPace] = useState(1);
  const known = useRef(film), moved = useRef(0);
  let at = kept;
  if (known.current !== film) {
    const old = known.current, isOther = old.match !== film.match;
    known.current = film;
    // Another match begins at its own start; the same one stays at its step, which has another number in another film.
    at = isOther ? 0 : Math.max(0, kept + (old.first ?? 0) - (film.first ?? 0));
    setAt(at);
    if (isOther) setMode(begins());
  }
  const place = mode === "follows" ? last : Math.min(at, last);
  const run = useBeats({ film, place, viewer, board, isOn: mode !== "follows" || isLive, paceMs: PACES[pace][1] });
  const here = useRef(place); // keys may come more quickly than steps are drawn
  here.current = place;
  const go = useCallback((to) => {
    const end = film.steps.length - 1, step = bounded(to, end);
    here.current = step;
    setAt(step);
    setMode(film.status === "playing" && step === end ? "follows" : "stays");
  }, [film]);
  useEffect(() => { moved.current = performance.now(); }, [place, run === null]);
  useEffect(() => {
    if ((mode !== "plays" && mode !== "reads") || run) return undefined;
    if (place >= last) {
      if (mode === "plays") setMode(reads ? "reads" : isLive ? "follows" : "stays");
      return undefined;
    }
    const timer = setTimeout(() => setAt(place + 1), Math.max(0, moved.current + PACES[pace][1] - performance.now()));
    return () => clearTimeout(timer);
  }, [mode, place, pace, last, isLive, run]);
  const move = useCallback((by) => go(here.current + by), [go]);
  const toggle = () => {
    const goesOn = (mode === "plays" || mode === "reads") && place < last;
    if (!goesOn && place >= last) setAt(0);
    setMode(goesOn ? "stays" : "plays");
  };
  return { place, mode, go, move, toggle, pace, setPace, shown: run ? { step: run.step, beat: run.list[run.at] } : { step: place, beat: null } };
}

const bounded = (step, last) => Math.max(0, Math.min(last, Math.trunc(step) || 0));

// The beats that are shown now, { step, list, at }, or null: they are told when somebody gets to their step from the one
// before, and end when the player goes on to a scene in which that showdown is over.
function useBeats({ film, place, viewer, board, isOn, paceMs }) {
  const run = useRef(null), known = useRef({ film, place, viewer });
  const [, redraw] = useState(0);
  const from = known.current;
  if (from.film !== film || from.place !== place || from.viewer !== viewer) {
    known.current = { film, place, viewer };
    const isNext = from.film === film && from.viewer === viewer && place > from.place && place - from.place <= STEPS_MAX;
    const lasts = isNext && run.current?.fields && sceneAt(film, place, viewer).shown?.fields === run.current.fields;
    if (!lasts) run.current = isNext && isOn && paceMs > BEATLESS_MS && !isStill() ? beatsAfter(film, from.place, place, viewer, board) : null;
  }
  const now = run.current;
  useEffect(() => {
    if (!now) return undefined;
    const all = BEATS_PACES * paceMs, [least, most] = BEAT_MS;
    const timer = setTimeout(() => {
      run.current = now.at + 1 < now.list.length ? { ...now, at: now.at + 1 } : null;
      redraw((count) => count + 1);
    }, Math.max(least, Math.min(most, all / now.list.length)));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}

// The first steps that are passed whose board tells them in beats.
function beatsAfter(film, from, to, viewer, board) {
  if (!board.beats) return null;
  for (let step = from + 1; step <= to; step++) {
    const scene = sceneAt(film, step, viewer);
    try {
      const list = board.beats(scene, sceneAt(film, step - 1, viewer), kit);
      if (list.length) return { step, list, at: 0, fields: scene.shown?.fields ?? null };
    } catch (error) {
      console.warn(`this step is shown at once, as its board failed: ${error}`);
    }
  }
  return null;
}
