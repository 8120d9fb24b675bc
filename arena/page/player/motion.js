// What moves on a board.  Boards are pure, so motion follows from what two scenes look like: the drawings say what they
// are (`data-piece`: card, die, claim, chips …) and what they show (`data-face`), and the pieces before and after are
// compared.  Only transforms and opacity are animated, so that nothing on the page is laid out anew.

import { useLayoutEffect, useRef } from "../html.js";

const MOVE_MS = 260, LONG_MS = 380, SHORT_MS = 180;
const STAGGER_MS = 140; // from the first to the last of several pieces
export const STEPS_MAX = 3; // more steps at once are a jump, and nothing moves
const FLYING = ["chips", "pile"]; // they may fly from where they are no more
const TURNED = ["card", "die", "shell"];
const NEAR_PX = 2;

export const isStill = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

// Animates the board when its scene follows from the one before.  `drawn`, `ghosts`: refs of the board and of an empty
// layer over it; `at`: { film, viewer, step, beat }; `hear(whats)` is told what happened, also where nothing moves.
export function useMotion(drawn, ghosts, at, scene, hear) {
  const known = useRef(at), before = useRef(null), running = useRef([]);
  const old = known.current;
  if (old.step !== at.step || old.beat !== at.beat || old.film !== at.film || old.viewer !== at.viewer) {
    known.current = at;
    for (const each of running.current) each.cancel();
    running.current = [];
    // What is drawn now is still the scene before: the children are drawn after this function.
    before.current = drawn.current && isNext(old, at) ? piecesOf(drawn.current) : null;
  }
  useLayoutEffect(() => {
    if (!before.current) return;
    const changes = changesOf(before.current, piecesOf(drawn.current), scene.acted[0]);
    before.current = null;
    hear(new Set(changes.map(({ what }) => what)));
    if (!isStill()) running.current = played(changes, ghosts.current);
  }, [at.film, at.viewer, at.step, at.beat]);
}

function isNext(old, at) {
  if (old.film !== at.film || old.viewer !== at.viewer) return false;
  return at.step > old.step ? at.step - old.step <= STEPS_MAX : at.step === old.step && old.beat !== null;
}

// The pieces that are drawn, each with the seat whose it is ("": it lies in the middle) and a copy of what may vanish.
export function piecesOf(board) {
  return [...board.querySelectorAll("[data-piece]")].filter((element) => !element.parentElement.closest(".k-pile")).map((element) => {
    const { piece: kind, face = null } = element.dataset;
    const place = element.closest(".k-place");
    return { element, kind, face, seat: place?.dataset.seat ?? "", place, box: element.getBoundingClientRect(), copy: FLYING.includes(kind) ? copied(element) : null };
  });
}

// A copy that can stand elsewhere.
function copied(element) {
  const copy = element.cloneNode(true), style = getComputedStyle(element);
  delete copy.dataset.piece;
  copy.style.fontSize = style.fontSize;
  copy.style.setProperty("--k-card", style.getPropertyValue("--k-card"));
  return copy;
}

// What happened between two scenes: [{ what, piece, from, old }].  `from`: the box from where a piece comes, or null;
// `old`: the piece that it was.
export function changesOf(before, after, actor) {
  const left = new Set(before), changes = [];
  const taken = (fits) => {
    for (const piece of left) if (fits(piece)) return left.delete(piece), piece;
    return null;
  };
  const places = new Map(after.filter(({ place }) => place).map(({ seat, place }) => [seat, place]));
  const boxOf = (seat) => places.get(String(seat))?.getBoundingClientRect() ?? null;
  const middle = after[0]?.element.closest(".k-board")?.querySelector(".k-centre")?.getBoundingClientRect() ?? null;
  const rest = after.filter((piece) => {
    const same = taken(({ kind, face, seat }) => kind === piece.kind && face === piece.face && seat === piece.seat);
    if (same && isMoved(same.box, piece.box)) changes.push({ what: "shift", piece, from: same.box });
    return !same;
  });
  for (const piece of rest) {
    const { kind, face, seat } = piece;
    if (TURNED.includes(kind) && face !== null && taken((old) => old.kind === kind && old.face === null && old.seat === seat)) {
      changes.push({ what: kind === "shell" ? fired(face) : "reveal", piece, from: null });
    } else if (kind === "card" && face !== null) {
      const moved = taken((old) => old.kind === kind && old.face === face);
      if (moved) changes.push({ what: "play", piece, from: moved.box });
      else changes.push(seat ? { what: "deal", piece, from: middle } : { what: "reveal", piece, from: null });
    } else {
      const old = ["chips", "pile", "lives", "cylinder"].includes(kind) ? taken((each) => each.kind === kind && each.seat === seat) : null;
      changes.push({ ...entering(piece, old, actor, middle, boxOf), piece, old });
    }
  }
  const pot = after.find(({ kind, seat }) => kind === "chips" && !seat);
  for (const piece of left) {
    if (piece.kind === "chips" && piece.seat && pot) changes.push({ what: "gather", piece, from: piece.box, to: pot.box });
    if (piece.kind === "pile") {
      const taker = after.find(({ kind }) => kind === "lost");
      if (taker) changes.push({ what: "gather", piece, from: piece.box, to: taker.place.getBoundingClientRect() });
    }
  }
  const old = before.find(({ kind, seat }) => kind === "chips" && !seat);
  for (const { piece } of changes.filter(({ what }) => what === "won")) {
    if (old) changes.push({ what: "gather", piece: old, from: old.box, to: piece.place.getBoundingClientRect() });
  }
  return changes;
}

// What a piece that was not there means, and from where it comes.
function entering({ kind, face, seat }, old, actor, middle, boxOf) {
  const grows = old !== null && Number(face) > Number(old.face);
  switch (kind) {
    case "card": case "die": return { what: "deal", from: seat ? middle : null };
    case "claim": return { what: "bid", from: boxOf(actor) };
    case "chips": return seat ? { what: "bet", from: old ? null : boxOf(seat) } : { what: "count", from: null };
    case "pile": return grows || !old ? { what: "play", from: boxOf(actor) } : { what: "count", from: null };
    case "lives": return { what: old && !grows ? "loss" : "count", from: null };
    case "cylinder": return { what: old && !grows ? "spin" : "count", from: null };
    case "shell": return { what: face === null ? "count" : fired(face), from: null };
    case "lost": return { what: "loss", from: null };
    case "won": return { what: "won", from: null };
    default: return { what: "said", from: null };
  }
}

const fired = (shell) => (shell === "blank" ? "click" : "shot");
const isMoved = (one, other) => Math.hypot(...between(one, other)) > NEAR_PX;
const between = (one, other) => [one.left + one.width / 2 - other.left - other.width / 2, one.top + one.height / 2 - other.top - other.height / 2];

// How each kind of change is seen.

const REST = { transform: "none", opacity: 1 };
const MOTIONS = {
  shift: ({ by }) => [[{ transform: by }, REST], MOVE_MS],
  play: ({ by }) => [[{ transform: by }, REST], LONG_MS],
  deal: ({ by }) => [[{ transform: `${by} rotate(-12deg) scale(.6)`, opacity: 0 }, { opacity: 1, offset: 0.4 }, REST], MOVE_MS],
  reveal: () => [[{ transform: "perspective(20rem) rotateY(90deg)" }, REST], MOVE_MS],
  bid: ({ by }) => [[{ transform: `${by} scale(.5)`, opacity: 0 }, REST], MOVE_MS],
  bet: ({ by }) => [[{ transform: `${by} scale(.7)`, opacity: 0.2 }, REST], MOVE_MS],
  count: () => [[{ transform: "scale(1.12)" }, REST], SHORT_MS],
  said: () => [[{ transform: "translateY(.4em) scale(.85)", opacity: 0 }, REST], SHORT_MS],
  won: () => [[{ transform: "scale(.6)", opacity: 0 }, { transform: "scale(1.12)", opacity: 1, offset: 0.6 }, REST], LONG_MS],
  loss: () => [[0, -4, 4, -3, 2, 0].map((by) => ({ transform: `translateX(${by}px)` })), LONG_MS],
  shot: () => [[{ transform: "translateX(-1em) scale(1.6)", opacity: 0 }, { transform: "translateX(.2em)", opacity: 1, offset: 0.3 }, REST], LONG_MS],
  click: () => [[{ transform: "translateX(-.3em)", opacity: 0.3 }, REST], SHORT_MS],
  spin: ({ change }) => [[{ transform: `rotate(${360 / Math.max(1, Number(change.old.face))}deg)` }, { transform: "none" }], LONG_MS],
  gather: ({ by }) => [[{ transform: "none", opacity: 1 }, { transform: by, opacity: 0 }], LONG_MS],
};

// Starts the motion of every change; gives the animations.  What is gone flies as a copy in the layer of ghosts.
function played(changes, ghosts) {
  const many = new Map();
  for (const { what } of changes) many.set(what, (many.get(what) ?? 0) + 1);
  const count = new Map();
  return changes.map((change) => {
    const { what, piece, from, to } = change;
    const at = count.get(what) ?? 0;
    count.set(what, at + 1);
    const [x, y] = to ? between(to, from) : from ? between(from, piece.box) : [0, 0];
    const by = `translate(${x}px, ${y}px)`;
    const [frames, duration] = MOTIONS[what]({ by, change });
    const element = to ? ghost(piece, ghosts) : piece.element;
    const delay = what === "shift" ? 0 : (at * STAGGER_MS) / Math.max(1, many.get(what));
    const animation = element.animate(frames, { duration: Math.min(duration, LONG_MS - delay + 20), delay, easing: "cubic-bezier(.2, .7, .3, 1)", fill: "backwards" });
    if (to) animation.oncancel = animation.onfinish = () => element.remove();
    return animation;
  });
}

function ghost({ copy, box }, ghosts) {
  const origin = ghosts.getBoundingClientRect(), flying = copy.cloneNode(true);
  Object.assign(flying.style, { position: "absolute", left: `${box.left - origin.left}px`, top: `${box.top - origin.top}px` });
  ghosts.append(flying);
  return flying;
}
