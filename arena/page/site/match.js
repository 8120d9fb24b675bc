// A finished match: all of its steps in the player.

import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { addSteps, openFilm } from "../film.js";
import { Player } from "../player.js";
import { Analysis } from "./analysis.js";
import { allGames, get, sentence } from "./ask.js";
import { leagueToken } from "./kept.js";
import { Heading, listed, Trouble, useAsked } from "./parts.js";
import { momentOf, useTitle } from "./routes.js";
import { symbols } from "./symbols.js";

const REST_AFTER_MS = 500; // until the moment has been drawn
const ADDRESS_DELAY_MS = 400; // browsers refuse more than about a hundred changes of the address in 30 s

const BEFORE = 5, AROUND = 40; // steps of a moment that are shown before all others are here

// The steps around one that a link leads to.
const around = async (address, step, key) => openFilm(await get(`${address}/film?first=${Math.max(0, step - BEFORE)}&count=${AROUND}`, key));

// The film of a match, page after page; the first step of each page is whole.
async function wholeFilm(address, note, key) {
  let film = null;
  for (let first = 0; first !== null;) {
    const page = await get(`${address}/film?first=${first}`, key);
    if (film) addSteps(film, page.steps);
    else film = openFilm(page);
    first = page.next ?? null;
    if (first !== null) note(first / page.steps_in_all);
  }
  return film;
}

async function boardModule(game) {
  const found = (await allGames()).find((each) => each.name === game);
  return found?.board ? import(found.board).catch(() => null) : null;
}

// `folder`: the results folder that it is of; a match of a table has none.
export function Page({ id, folder, takesFocus }) {
  const home = folder && `/results/${encodeURIComponent(folder)}`;
  const back = home ? html`<a href=${`${home}/matches`}>All matches of ${folder}</a> · <a href=${home}>its report</a>` : html`<a href="/">Play one yourself</a>`;
  return html`<${Finished} ...${{ id, folder, takesFocus, home: home ?? "", back }} />`;
}

// A match of a league, which only some may see.
export function LeagueMatch({ id, folder, takesFocus }) {
  const home = `/leagues/${encodeURIComponent(folder)}`;
  return html`<${Finished} ...${{ id, folder: null, takesFocus, home, token: leagueToken(folder), asks: false, back: html`<a href=${home}>To the league</a>` }} />`;
}

// `home`: what its address begins with; `token`: who looks on, where that counts; `back`: where to go from here.
function Finished({ id, folder, takesFocus, home, token = null, asks = true, back }) {
  const address = `/api${home}/matches/${encodeURIComponent(id)}`;
  const [share, note] = useState(0);
  useEffect(() => { symbols(); }, []);
  const start = useMemo(startOf, [id, folder]);
  useEffect(() => {
    document.documentElement.classList.toggle("embedded", start.isEmbedded);
    return () => document.documentElement.classList.remove("embedded");
  }, [start]);
  useEffect(() => {
    const turn = () => { if (location.hash.startsWith("#step=")) location.reload(); }; // a link to another moment of this match
    addEventListener("hashchange", turn);
    return () => removeEventListener("hashchange", turn);
  }, []);
  const [isWhole, setWhole] = useState(start.step === 0);
  const shown = (film) => boardModule(film.game).then((module) => ({ film, module }));
  // Who came for a moment sees it first, and all the rest once that is here.
  const moment = useAsked(async () => {
    if (start.step === 0) return null;
    allGames().catch(() => {}); // beside the film, not after it
    const film = await around(address, start.step, token).catch((error) => { if (error.status === 0) throw error; return null; });
    const found = film?.steps.length ? await shown(film) : null; // it has no such step
    setTimeout(() => setWhole(true), found ? REST_AFTER_MS : 0);
    return found;
  }, [id, folder]);
  const whole = useAsked(async () => (isWhole ? shown(await wholeFilm(address, note, token)) : null), [id, folder, isWhole]);
  const value = whole.value ?? moment.value, missing = moment.refused ?? whole.refused, refused = value ? null : missing;
  const film = value?.film;
  useTitle(film ? `${film.title}: ${listed(film.names)}` : refused ? "No match" : "Match");
  if (refused) {
    return html`<${Heading} takesFocus=${takesFocus}>This match cannot be shown<//>
      <p role="alert">${sentence(refused.message)}</p><p><a href="/">To the games and tables</a> · <a href="/results">to the results</a></p>`;
  }
  if (!film) return html`<${Heading} takesFocus=${takesFocus}>Match<//><p class="soft" role="status">${share ? `${Math.floor(100 * share)}% is here…` : "One moment…"}</p>`;
  return html`<${Heading} takesFocus=${takesFocus}>${film.title}: ${isolated(listed(film.names), film.names)}<//>
    <p class="soft">${isolated(resultSaid(film), film.names)}</p>
    ${film.note || film.why ? html`<p class="note">${[film.why, film.note].filter(Boolean).map(sentence).join(" ")}</p>` : ""}
    <${Trouble} refused=${missing} />
    <${Shown} ...${{ film, module: value.module, start, folder, address, asks, isWhole: Boolean(whole.value) }} />
    <p class="soft">${back}</p>`;
}

// `#step=N&seat=S&play`: a step counted from 1, as a seat (from 0) or a spectator saw it; it plays on from there.
function startOf() {
  const asked = new URLSearchParams(location.hash.slice(1)), seat = asked.get("seat");
  const viewer = seat === null ? "all" : seat === "spectator" ? seat : Number(seat);
  return { step: Math.max(0, Math.trunc(Number(asked.get("step")) - 1) || 0), viewer, plays: asked.has("play"), isEmbedded: asked.has("embed") };
}

// `start`: as startOf gives it.  `isWhole`: no longer film takes its place.
function Shown({ film, module, start, folder, address, asks, isWhole }) {
  const begun = useMemo(() => ({ ...start, step: start.step - film.first }), []);
  const [[step, as], note] = useState([start.step, start.viewer]); // of all steps, those which are still missing too
  const keeping = useRef(0);
  useEffect(() => () => clearTimeout(keeping.current), []);
  const onMove = (place, viewer) => {
    const step = film.first + place;
    note([step, viewer]);
    clearTimeout(keeping.current);
    keeping.current = setTimeout(() => {
      try {
        history.replaceState(null, "", momentOf(step, viewer) + (start.isEmbedded ? "&embed" : ""));
      } catch {
        // an address that stays does no harm
      }
    }, ADDRESS_DELAY_MS);
  };
  const tabs = asks && [{ id: "ask", title: "Ask a bot", body: isWhole ? html`<${Analysis} ...${{ film, module, folder, address, place: step - film.first, viewer: as }} />` : html`<p class="soft">One moment…</p>` }];
  return html`<${Player} film=${film} module=${module} start=${begun} onMove=${onMove} tabs=${tabs || []}
    link=${(step, viewer) => `${location.origin}${location.pathname}${momentOf(film.first + step, viewer)}&play`} />`;
}

function resultSaid(film) {
  if (!film.ranks) return "Its rules failed: it has no result.";
  const seats = film.names.map((name, seat) => ({ name, rank: film.ranks[seat], returns: film.returns?.[seat] }));
  return seats.sort((one, other) => one.rank - other.rank).map(({ name, rank, returns }) => `${rank}. ${name}${returns ? ` (${returns})` : ""}`).join(", ");
}
