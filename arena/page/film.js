// From a film (film.py) to the scenes that boards draw.  A viewer is "all", "spectator", or the number of a seat.

const HEADING = "h", ACT = "a";

// A film that grows: `film.steps` holds whole steps.
export function openFilm(json) {
  const film = { ...json, steps: [] };
  addSteps(film, json.steps ?? []);
  return film;
}

// Adds steps as they were sent: each tells what is different from the one before.
export function addSteps(film, steps) {
  for (const step of steps) {
    const before = film.steps.at(-1);
    const own = before ? [...before.own] : film.names.map(() => null);
    for (const [seat, changes] of Object.entries(step.own ?? {})) own[seat] = { ...own[seat], ...changes };
    film.steps.push({
      turn: step.turn,
      round: step.round,
      asked: step.asked,
      state: step.state === null ? null : { ...before?.state, ...step.state },
      own,
      out: step.out ?? before?.out ?? [],
      holdings: step.holdings ?? before?.holdings ?? null,
      lines: step.lines ?? [],
      events: step.events ?? [],
      marks: step.marks ?? [],
      lost: step.lost ?? [],
      times: step.times ?? [],
    });
  }
}

// As whom a film can be seen: [{ id, label }].
export function viewersOf(film) {
  if (film.sees !== "all") return [{ id: film.sees, label: film.names[film.sees] ?? "a spectator" }];
  const seats = film.names.map((name, seat) => ({ id: seat, label: name }));
  return [{ id: "all", label: "everything" }, { id: "spectator", label: "hidden until shown" }, ...seats];
}

function isTold(film, mask, viewer) {
  const bit = viewer === "all" ? film.names.length + 1 : viewer === "spectator" ? film.names.length : viewer;
  return (mask & (1 << bit)) !== 0;
}

// The sentences of a step: [{ kind, seat, text, fault }], kind "h" (a round begins), "a" (an act), "n" (news).
export function linesAt(film, index, viewer) {
  return film.steps[index].lines
    .filter(([mask]) => isTold(film, mask, viewer))
    .map(([, kind, seat, text, fault]) => ({ kind, seat, text, fault }));
}

function eventsAt(film, index, viewer) {
  return film.steps[index].events
    .filter(([mask]) => isTold(film, mask, viewer))
    .map(([, kind, to, fields]) => ({ kind, to, fields }));
}

// The thinking times of a step that this viewer may know: [{ seat, ms, fault }].
export function timesAt(film, index, viewer) {
  return film.steps[index].times
    .filter(([seat]) => viewer === "all" || viewer === seat)
    .map(([seat, ms, fault]) => ({ seat, ms, fault }));
}

// What a board draws; README.md says what is in it.  In a beat it is not told yet what follows from the step.
export function sceneAt(film, index, viewer, beat = null) {
  const step = film.steps[index];
  const isLast = index === film.steps.length - 1 && (film.status !== "playing" || film.ranks !== null);
  const isWhole = film.steps_in_all === undefined || film.first + film.steps.length >= film.steps_in_all;
  const isSeat = typeof viewer === "number";
  return {
    game: film.game,
    title: film.title,
    rules: film.rules,
    names: film.names,
    viewer,
    you: typeof film.sees === "number" ? film.sees : null,
    state: isSeat && film.sees === "all" ? step.own[viewer] ?? step.state : step.state,
    own: film.names.map((_, seat) => {
      if (film.sees === "all") return viewer === "all" || viewer === seat ? step.own[seat] : null;
      return film.sees === seat ? step.state : null;
    }),
    step: index,
    steps: film.steps.length,
    turn: step.turn,
    round: step.round,
    asked: beat ? [] : step.asked,
    said: said(film, index, viewer),
    acted: [...new Set(linesAt(film, index, viewer).filter((line) => line.kind === ACT && line.seat >= 0).map((line) => line.seat))],
    events: eventsAt(film, index, viewer),
    shown: shown(film, index, viewer),
    out: film.names.map((_, seat) => (beat ? film.steps[index - 1] : step).out.includes(seat)),
    ranks: !beat && isLast && isWhole && film.ranks ? film.ranks : null,
    live: film.status === "playing",
    beat,
  };
}

// By seat what it did last since the round began, without its name.
function said(film, index, viewer) {
  const found = film.names.map(() => "");
  for (let at = index; at >= 0 && film.steps[at].round === film.steps[index].round; at--) {
    for (const { kind, seat, text } of linesAt(film, at, viewer)) {
      if (kind === ACT && seat >= 0 && !found[seat]) found[seat] = withoutName(text, film.names[seat]);
    }
  }
  return found;
}

export function withoutName(text, name) {
  const joint = [" ", ": "].find((each) => text.startsWith(name + each)); // a game without sentences: "bob: bet"
  return joint ? text.slice(name.length + joint.length) : text;
}

// The showdown of this step; at a table that is played now, the last one, until somebody acts again.
function shown(film, index, viewer) {
  const oldest = film.status === "playing" ? 0 : index;
  for (let at = index; at >= oldest; at--) {
    const found = eventsAt(film, at, viewer).findLast((event) => film.showdowns.includes(event.kind));
    if (found) return { kind: found.kind, fields: found.fields };
    if (linesAt(film, at, viewer).some((line) => line.kind === ACT)) return null;
  }
  return null;
}

// The steps at which rounds begin: [{ step, round, name }]; `name` is "hand 3" where the game calls it so.
export function roundsOf(film, viewer) {
  const rounds = [];
  film.steps.forEach((step, at) => {
    if (step.round && step.round !== film.steps[at - 1]?.round) rounds.push({ step: at, round: step.round, name: roundName(film, at, viewer) });
  });
  return rounds;
}

// What the game calls the round that begins at a step.
export function roundName(film, at, viewer) {
  const usual = `round ${film.steps[at].round}`;
  const text = linesAt(film, at, viewer).find((line) => line.kind === HEADING)?.text ?? usual;
  return /^[^:]{1,24}(?=:|$)/.exec(text)?.[0] ?? usual;
}

// What a timeline marks: [{ step, text, kind }]; kind is "mark", "out", "fault" or "swing".
export function marksOf(film) {
  const marks = [];
  let swing = null;
  film.steps.forEach((step, at) => {
    for (const text of step.marks) marks.push({ step: at, text, kind: "mark" });
    const gone = step.out.filter((seat) => at > 0 && !film.steps[at - 1].out.includes(seat));
    if (gone.length) marks.push({ step: at, text: `${gone.map((seat) => film.names[seat]).join(", ")} out`, kind: "out" });
    const faults = step.times.filter(([, , fault]) => fault);
    for (const [seat, , fault] of faults) marks.push({ step: at, text: `${film.names[seat]}: ${fault.replaceAll("_", " ")}`, kind: "fault" });
    for (const [seat, amount] of step.lost) {
      if (!swing || amount >= swing.amount) swing = { step: at, seat, amount };
    }
  });
  if (swing && film.status !== "playing") {
    marks.push({ step: swing.step, text: `largest swing: ${film.names[swing.seat]} loses ${amountOf(film, swing.amount)}`, kind: "swing" });
  }
  return marks.sort((one, other) => one.step - other.step);
}

// "2 lives", "a card" as "1 card".
export function amountOf(film, amount) {
  const [one, many] = film.holding ?? ["", ""];
  const said = amount.toLocaleString("en", { maximumFractionDigits: 2 });
  return one ? `${said} ${amount === 1 ? one : many}` : said;
}
