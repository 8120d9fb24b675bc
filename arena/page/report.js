// The match player in a report: the matches that the report holds, one at a time.

import { html, render } from "./html.js";
import { isolated } from "./drawings/names.js";
import { openFilm } from "./film.js";
import { Player } from "./player.js";

const ADDRESS_DELAY_MS = 400; // browsers refuse more than about a hundred changes of the address in 30 s
const MATCH_MAX = 64; // characters of an id that is said to be unknown

export function start(module) {
  const holder = document.getElementById("films"), root = document.getElementById("viewer");
  if (!holder || !root) return;
  const films = new Map([...holder.content.children].map((each) => [each.dataset.match, each]));
  const home = root.parentElement;
  let keeping = 0, shown = null;

  const address = (match, step, viewer) => `#match=${match}&step=${step + 1}${viewer === "all" ? "" : `&seat=${viewer}`}`;

  async function open(match, start, isEmbedded) {
    shown = match;
    const film = openFilm(await unpacked(films.get(match).textContent));
    if (shown !== match) return; // another one was asked for meanwhile
    for (const row of document.querySelectorAll("tr[data-match]")) row.classList.toggle("open", row.dataset.match === match);
    const order = film.names.map((name, seat) => [film.ranks?.[seat] ?? 0, name, film.returns?.[seat]]).sort((one, other) => one[0] - other[0]);
    const onMove = (step, viewer) => {
      document.querySelector("[data-part=link]").href = address(match, step, viewer);
      clearTimeout(keeping);
      keeping = setTimeout(() => {
        if (!root.offsetParent || !location.hash.startsWith("#match=")) return; // nobody asked for it, or another page is shown
        try { history.replaceState(null, "", address(match, step, viewer) + (isEmbedded ? "&embed" : "")); } catch { /* an address that stays is no harm */ }
      }, ADDRESS_DELAY_MS);
    };
    document.documentElement.classList.toggle("embedded", isEmbedded);
    const result = film.ranks ? order.map(([rank, name, returns]) => `${rank}. ${name} (${returns})`).join(", ") : "Its rules failed: it has no result";
    render(null, root);
    render(html`<div data-shown=${match}>
      <h3 data-part="title">${isolated(film.names.join(film.names.length > 2 ? ", " : " against "), film.names)}</h3>
      <p class="result" data-part="result">${isolated(result, film.names)} · match ${match} · <a data-part="link" href=${address(match, 0, "all")}>link to this step</a></p>
      ${(film.why || film.note) && html`<p class="result" data-part="why">${[film.why, film.note].filter(Boolean).join(". ")}</p>`}
      <${Player} film=${film} module=${module} start=${start} onMove=${onMove} link=${(step, viewer) => `${location.href.split("#")[0]}${address(match, step, viewer)}&play`} />
    </div>`, root);
    root.hidden = false;
  }

  function refuse(match) {
    shown = null;
    render(null, root);
    render(html`<p role="alert" data-part="absent">The match <b>${match}</b> is not in this report. <code>arena replay ${match}</code> shows it, in the folder that the report was made from.</p>`, root);
    root.hidden = false;
  }

  // On a bot's page the player stands at the moment of its most telling loss.
  function visit() {
    const here = document.getElementById(location.hash.slice(1))?.querySelector(":scope > .losses > .here");
    if (root.parentElement !== (here || home)) (here || home).append(root);
    if (here) open(here.dataset.match, { step: Number(here.dataset.step) - 1, viewer: Number(here.dataset.seat) }, false);
    return Boolean(here);
  }

  // `#match=ID&step=N&seat=S&play`: a match, one of its steps counted from 1, as a seat (from 0) or a spectator saw it.
  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const match = asked.get("match");
    if (!match) return visit();
    if (root.parentElement !== home) home.append(root);
    if (!films.has(match)) {
      refuse(match.slice(0, MATCH_MAX));
      root.scrollIntoView({ behavior: "instant" });
      return true;
    }
    const seat = asked.get("seat");
    const viewer = seat === null ? "all" : seat === "spectator" ? seat : Number(seat);
    open(match, { step: Number(asked.get("step") ?? 1) - 1, viewer, plays: asked.has("play") }, asked.has("embed")).then(() => {
      root.scrollIntoView({ behavior: "instant" });
      root.querySelector(".player")?.focus({ preventScroll: true });
    });
    return true;
  }

  // Without scripts these links lead to the row of the match; here they lead to its step.
  for (const link of document.querySelectorAll("a[href^='#match-']")) {
    const match = link.hash.slice("#match-".length), { step, seat } = link.dataset;
    link.href = step ? address(match, Number(step) - 1, seat) : `#match=${match}`;
  }
  addEventListener("hashchange", follow);
  if (!follow() && films.size) open(films.keys().next().value, {}, false);
}

// Films are embedded as base64 of raw deflate.
async function unpacked(text) {
  const octets = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}
