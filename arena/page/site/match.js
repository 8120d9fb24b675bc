// A finished match: all of its steps in the player.

import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { addSteps, openFilm } from "../film.js";
import { Player } from "../player.js";
import { Analysis } from "./analysis.js";
import { allGames, get, sentence } from "./ask.js";
import { Heading, listed, useAsked } from "./parts.js";
import { useTitle } from "./routes.js";
import { symbols } from "./symbols.js";

const ADDRESS_DELAY_MS = 400; // browsers refuse more than about a hundred changes of the address in 30 s

// The film of a match, page after page; the first step of each page is whole.
async function wholeFilm(address, note) {
  let film = null;
  for (let first = 0; first !== null;) {
    const page = await get(`${address}/film?first=${first}`);
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
  const results = folder && `/results/${encodeURIComponent(folder)}`, address = `/api${results ?? ""}/matches/${encodeURIComponent(id)}`;
  const [share, note] = useState(0);
  useEffect(() => { symbols(); }, []);
  const { value, refused } = useAsked(async () => {
    const film = await wholeFilm(address, note);
    return { film, module: await boardModule(film.game) };
  }, [id, folder]);
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
    <${Shown} film=${film} module=${value.module} folder=${folder} address=${address} />
    <p class="soft">${results ? html`<a href=${`${results}/matches`}>All matches of ${folder}</a> · <a href=${results}>its report</a>` : html`<a href="/">Play one yourself</a>`}</p>`;
}

// `#step=N&seat=S`: a step counted from 1, as a seat (from 0) or a spectator saw it.
function Shown({ film, module, folder, address }) {
  const start = useMemo(() => {
    const asked = new URLSearchParams(location.hash.slice(1)), seat = asked.get("seat");
    const viewer = seat === null ? "all" : seat === "spectator" ? seat : Number(seat);
    return { step: (Number(asked.get("step")) || 1) - 1, viewer };
  }, []);
  const [[place, as], note] = useState([start.step, start.viewer]);
  const keeping = useRef(0);
  useEffect(() => () => clearTimeout(keeping.current), []);
  const onMove = (step, viewer) => {
    note([step, viewer]);
    clearTimeout(keeping.current);
    keeping.current = setTimeout(() => {
      const address = `#step=${step + 1}${viewer === "all" ? "" : `&seat=${viewer}`}`;
      try {
        history.replaceState(null, "", address);
      } catch {
        // an address that stays does no harm
      }
    }, ADDRESS_DELAY_MS);
  };
  const tabs = [{ id: "ask", title: "Ask a bot", body: html`<${Analysis} ...${{ film, folder, address, place, viewer: as }} />` }];
  return html`<${Player} film=${film} module=${module} start=${start} onMove=${onMove} tabs=${tabs} />`;
}

function resultSaid(film) {
  if (!film.ranks) return "Its rules failed: it has no result.";
  const seats = film.names.map((name, seat) => ({ name, rank: film.ranks[seat], returns: film.returns?.[seat] }));
  return seats.sort((one, other) => one.rank - other.rank).map(({ name, rank, returns }) => `${rank}. ${name}${returns ? ` (${returns})` : ""}`).join(", ");
}
