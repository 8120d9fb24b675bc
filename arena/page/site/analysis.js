// What a house bot would have done: it is asked where somebody was asked in a finished match.

import { chancesSaid } from "../boards.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { sceneAt } from "../film.js";
import { kit } from "../kit.js";
import { gameNamed, post, sentence } from "./ask.js";
import { makeTable, usual } from "./opening.js";
import { counted, Trouble, useAsked, useDoing } from "./parts.js";
import { go } from "./routes.js";

// The latest step up to `place` after which this seat, or without one anybody, was asked; else the first one there is.
function stepAsked(film, place, seat) {
  const isAsked = ({ asked }) => (seat === null ? asked.length > 0 : asked.includes(seat));
  const found = film.steps.slice(0, place + 1).findLastIndex(isAsked);
  return found < 0 ? film.steps.findIndex(isAsked) : found;
}

// `folder`: the results folder that the match is of, or nothing.  `place`, `viewer`: where the player is, and as whom.
export function Analysis({ film, module, folder, address, place, viewer }) {
  const game = useAsked(() => gameNamed(film.game), [film.game]).value;
  const [wishedBot, setBot] = useState("");
  const [wishedSeat, setSeat] = useState(null);
  const answers = useRef(new Map());
  const [run, busy, refused] = useDoing();
  const near = stepAsked(film, place, null);
  const seat = wishedSeat ?? (typeof viewer === "number" ? viewer : film.steps[near]?.asked[0] ?? 0);
  const step = stepAsked(film, place, seat);
  const bot = wishedBot || (game?.bots.find((name) => name !== film.names[seat]) ?? game?.bots[0]);
  const about = `${bot} ${step} ${seat}`;
  const ask = () => run(async () => {
    answers.current.set(about, await post(`${address}/ask`, { bot, step, name: film.names[seat] }));
  });
  const play = () => run(async () => go(`/tables/${await makeTable({
    game: film.game, rules: film.rules, begins: false,
    bots: film.names.filter((_, each) => each !== seat).map((name) => (game.bots.includes(name) ? name : usual(game.bots))),
    from: { match: film.match, step, name: film.names[seat], results: folder || null },
  })}`));
  const chances = useMemo(() => chancesSaid(module, sceneAt(film, place, viewer), kit), [film, place, viewer]);
  const isKnown = Boolean(game);
  useEffect(() => { if (isKnown && bot && step >= 0) ask(); }, [isKnown]); // whoever comes here wants to know
  if (!game) return html`<p class="soft">One moment…</p>`;
  const luck = chances.length > 0 && html`<ul class="rows chances" aria-label="Chances">${chances.map((each) => html`<li key=${each}>${isolated(sentence(each), film.names)}</li>`)}</ul>`;
  if (!bot) return luck || html`<p class="soft">No house bot plays this game here.</p>`;
  const found = answers.current.get(about);
  return html`<section class="analysis" aria-label="Ask a bot">
    ${luck}
    <p>What would <select value=${bot} onChange=${(event) => setBot(event.target.value)} aria-label="Bot">
        ${game.bots.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select> do as <select
        value=${seat} onChange=${(event) => setSeat(Number(event.target.value))} aria-label="Seat">
        ${film.names.map((name, each) => html`<option key=${each} value=${each}>${name}</option>`)}</select>${step < 0 ? "?" : ` at step ${(step + 1).toLocaleString("en")}?`}</p>
    ${step < 0 ? html`<p class="soft">This seat was never asked.</p>` : html`
      ${found ? "" : html`<p><button type="button" class="primary" disabled=${busy} onClick=${ask}>${busy ? "Asking…" : "Ask"}</button></p>`}
      <${Trouble} refused=${refused} />
      <div role="status">${found && html`<${Found} found=${found} names=${film.names} />`}</div>
      <p><button type="button" disabled=${busy} onClick=${play}>Play on from step ${(step + 1).toLocaleString("en")}</button><br />
        <small class="soft">As <bdi>${film.names[seat]}</bdi>, against bots. What was dealt stays, chance is drawn anew from there, and nothing is rated.</small></p>`}
  </section>`;
}

function Found({ found, names }) {
  const { answers, draws, note, played } = found;
  return html`<ul class="rows">${answers.map(({ words, count }) => html`<li key=${words}>
      <b>${Math.round((100 * count) / draws)} %</b> ${isolated(words, names)}<br /><meter min="0" max=${draws} value=${count} aria-hidden="true"></meter></li>`)}</ul>
    ${note ? html`<p class="soft">${isolated(sentence(note), names)}</p>` : ""}
    <p>${played ? html`In the match, <bdi>${found.name}</bdi> ${isolated(sentence(played).replace(/^./, (first) => first.toLowerCase()), names)}` : "The match ended before an answer."}</p>
    ${draws ? html`<p class="soft"><small>Asked ${counted(draws, "time")}, each with other randomness of its own, and told what this seat knew then and nothing else.</small></p>` : ""}`;
}
