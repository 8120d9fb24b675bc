// The player in a report: the matches that the report holds, or asks a server for, one at a time.

import { html, render } from "./html.js";
import { openFilm } from "./film.js";
import { Player } from "./player.js";

const ADDRESS_DELAY_MS = 400; // browsers refuse more than about a hundred changes of the address in 30 s

export function start(module) {
  const holder = document.getElementById("films"), root = document.getElementById("viewer");
  if (!holder || !root) return;
  const films = new Map([...holder.content.children].map((each) => [each.dataset.match, each]));
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
      <h3 data-part="title">${film.names.join(film.names.length > 2 ? ", " : " against ")}</h3>
      <p class="where" data-part="result">${result} · match ${match} · <a data-part="link" href=${address(match, 0, "all")}>link to this step</a></p>
      ${(film.why || film.note) && html`<p class="where" data-part="why">${[film.why, film.note].filter(Boolean).join(". ")}</p>`}
      <${Player} film=${film} module=${module} start=${start} onMove=${onMove} embed=${isEmbedded} />
    </div>`, root);
    root.hidden = false;
  }

  // `#match=ID&step=N&seat=S`: a match, one of its steps counted from 1, as a seat (from 0) or a spectator saw it.
  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const match = asked.get("match");
    if (!films.has(match)) return false;
    const seat = asked.get("seat");
    const viewer = seat === null ? "all" : seat === "spectator" ? seat : Number(seat);
    open(match, { step: Number(asked.get("step") ?? 1) - 1, viewer }, asked.has("embed")).then(() => {
      root.scrollIntoView();
      root.querySelector(".player")?.focus({ preventScroll: true });
    });
    return true;
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
