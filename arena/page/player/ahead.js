// Who was ahead: what each seat holds, as lines under the timeline.

import { html, useMemo } from "../html.js";

const WIDE = 100, HIGH = 24;
const COLOURS = 8, DASHES = ["", "7 3", "2 2", "9 3 2 3", "4 4", "1 3", "12 4"]; // not by colour alone
const LEADS_SAID = 6; // the latest changes of the lead

// `film.steps[].holdings`: by seat, more is better; null where the game does not say.
export function Ahead({ film, version, place, last }) {
  const drawn = useMemo(() => drawnOf(film, last), [film, version, last]);
  if (!drawn) return null;
  const now = film.steps[place].holdings ?? drawn.first, most = Math.max(...now);
  return html`<div class="ahead" data-part="ahead">
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label=${`Who was ahead: ${drawn.said}`}>
      ${drawn.lines.map((points, seat) => html`<polyline key=${seat} ...${look(seat)} points=${points} />`)}
      <line class="here" x1=${x(place, last)} x2=${x(place, last)} y1="0" y2=${HIGH} />
    </svg>
    <ul aria-label=${`${film.holding[1]} now`}>${film.names.map((name, seat) => html`<li key=${seat} class=${now[seat] === most ? "leads" : ""}>
      <svg viewBox="0 0 20 4" width="20" height="4" aria-hidden="true"><path ...${look(seat)} d="M0 2h20" /></svg><bdi>${name}</bdi> ${drawn.amount(now[seat])}</li>`)}</ul>
  </div>`;
}

const x = (step, last) => (last ? (WIDE * step) / last : 0);
const look = (seat) => ({ "class": `of${seat % COLOURS}`, "stroke-dasharray": DASHES[seat % DASHES.length] });

function drawnOf(film, last) {
  const held = film.steps.map((step) => step.holdings);
  const first = held.find(Boolean);
  if (!first || !last) return null;
  const over = (pick) => held.reduce((best, each) => pick(best, ...(each ?? [])), first[0]);
  const high = over(Math.max), low = over(Math.min);
  const y = (value) => 1 + (HIGH - 2) * (high > low ? (high - value) / (high - low) : 0.5);
  const lines = film.names.map(() => []), leads = [];
  let before = null;
  held.forEach((values, step) => {
    if (!values || values === before) return; // shared while nothing changes
    lines.forEach((points, seat) => {
      if (before) points.push(`${x(step, last).toFixed(2)},${y(before[seat]).toFixed(1)}`);
      points.push(`${x(step, last).toFixed(2)},${y(values[seat]).toFixed(1)}`);
    });
    before = values;
    const most = Math.max(...values), who = film.names.filter((_, seat) => values[seat] === most);
    const said = who.length === 1 ? who[0] : "nobody";
    if (leads.at(-1)?.said !== said) leads.push({ said, step });
  });
  lines.forEach((points, seat) => points.push(`${WIDE},${y(before[seat]).toFixed(1)}`));
  const told = leads.slice(-LEADS_SAID).map(({ said, step }) => `${said} from step ${(film.first ?? 0) + step + 1}`).join(", ");
  const signDisplay = high > 0 && low < 0 ? "exceptZero" : "never"; // won or lost, else things
  const amount = (value) => value.toLocaleString("en", { signDisplay }).replace("-", "−");
  return { lines: lines.map((points) => points.join(" ")), first, said: told, amount };
}
