// A table while nothing is played there: who has a seat, what is missing, how the match ended, and what the host can do.

import { html, useEffect, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { usual } from "./opening.js";
import { MakeHost, marksOf, ordered, Terms, Watching } from "./people.js";
import { listed } from "./parts.js";

const EMPTY_SHOWN = 2; // places that are drawn although nobody has them

// Before a match and after it.  `ending`: markup that says why it ended so.
export function Between({ table, here, acts, game, ending = null }) {
  const isNew = table.status === "waiting";
  const missing = Math.max(0, table.seats.least - table.seats.taken);
  const people = table.players.filter((player) => player.way === "person");
  const begin = () => acts.act(isNew ? "start" : "rematch");
  const next = useRef(null), focused = useRef(null), ended = table.match?.ranks ? table.match.match_id : null;
  // After a match the keys go on here, unless somebody is writing.
  useEffect(() => {
    if (!ended || focused.current === ended || acts.busy) return;
    focused.current = ended;
    if (document.activeElement === document.body) next.current?.focus({ preventScroll: true });
  }, [ended, acts.busy]);
  return html`<section class="card between" aria-label=${isNew ? "Before the match" : "After the match"}>
    ${table.match?.ranks ? html`<${Result} match=${table.match} />` : html`<h2>Who plays</h2>`}
    ${table.match?.ranks ? "" : html`<${Seats} table=${table} acts=${acts} />`}
    <p class="soft">${askedFor(table, here, missing, people)}</p>
    <p class="line">
      ${here.isHost ? html`<button type="button" class="primary" ref=${next} disabled=${acts.busy || missing > 0} onClick=${begin}>${isNew ? "Begin" : "Rematch"}</button>` : ""}
      ${here.own && people.length > 1 && !here.own.is_ready ? html`<button type="button" ref=${here.isHost ? null : next} disabled=${acts.busy} onClick=${() => acts.act("ready")}>Ready</button>` : ""}
    </p>
    ${ending}
    ${table.match?.ranks ? html`<p><a href=${`/matches/${encodeURIComponent(table.match.match_id)}`}>Watch the whole match with all hands shown</a></p>` : ""}
    ${here.isHost ? html`<${HostDesk} table=${table} bots=${game?.bots ?? []} acts=${acts} />` : ""}
    ${table.match ? "" : html`<${Watching} table=${table} /><${Terms} table=${table} />`}
  </section>`;
}

// What has to happen before a match begins.
function askedFor(table, here, missing, people) {
  if (missing) return `${missing === 1 ? "One more player is" : `${missing} more players are`} needed${here.isHost ? ": add a bot, or share the link" : ""}.`;
  if (!here.own) return table.admin_nickname ? `${table.admin_nickname}, the host, begins the match.` : "Whoever takes a seat first is the host.";
  if (here.own.is_ready) {
    const unready = people.filter((player) => !player.is_ready).map((player) => player.nickname);
    return `You are ready. ${unready.length ? `Not yet: ${listed(unready)}.` : ""}`;
  }
  if (here.isHost) return people.length > 1 ? "Begin when you like; it also begins once all are ready." : "";
  return `Say that you are ready, or wait for ${table.admin_nickname ?? "the host"} to begin.`;
}

function Seats({ table, acts }) {
  const empty = Math.min(EMPTY_SHOWN, table.seats.most - table.seats.taken);
  return html`<ul class="seats">
    ${ordered(table.players).map((player) => html`<li key=${player.playerID}><b><bdi>${player.nickname}</bdi></b>${" "}
      <span class="soft">${marksOf(player, table).join(", ") || "player"}</span> <${MakeHost} player=${player} table=${table} acts=${acts} /></li>`)}
    ${Array.from({ length: empty }, (_, place) => html`<li key=${place} class="empty">free seat</li>`)}
  </ul>`;
}

// "ann wins", and the places of the others.
function Result({ match }) {
  const order = [...match.names].sort((one, other) => match.ranks[one] - match.ranks[other]);
  const best = order.filter((name) => match.ranks[name] === match.ranks[order[0]]);
  const said = best.length === order.length ? "A draw" : `${listed(best)} ${best.length === 1 ? "wins" : "share first place"}`;
  return html`<h2 class="outcome" role="status">${isolated(said, order)}</h2>
    ${order.length > 2 ? html`<ol class="places">${order.map((name) => html`<li key=${name}><b>${match.ranks[name]}.</b> <bdi>${name}</bdi></li>`)}</ol>` : ""}`;
}

// What the host alone can do besides beginning a match.
function HostDesk({ table, bots, acts }) {
  const [bot, choose] = useState("");
  const [guest, setGuest] = useState("");
  const chosen = bots.includes(bot) ? bot : usual(bots);
  const isFull = table.seats.taken >= table.seats.most;
  const seat = async (event, name) => {
    event.preventDefault();
    if (await acts.act("bots", { bot: name })) setGuest("");
  };
  return html`<div class="desk">
    ${isFull || table.status !== "waiting" ? "" : html`<form class="line" onSubmit=${(event) => seat(event, chosen)}>
      <label class="unseen" for="bot">House bot</label>
      <select id="bot" value=${chosen} onChange=${(event) => choose(event.target.value)}>${bots.map((each) => html`<option key=${each}>${each}</option>`)}</select>
      <button disabled=${acts.busy || !chosen}>Add bot</button></form>
    <details><summary>A bot that waits at the open table</summary><form class="line" onSubmit=${(event) => seat(event, guest)}>
      <label class="unseen" for="guest">Its name</label>
      <input id="guest" required value=${guest} placeholder="its name" autocomplete="off" onInput=${(event) => setGuest(event.target.value)} />
      <button disabled=${acts.busy}>Seat it</button></form></details>`}
    <label class="check"><input type="checkbox" role="switch" checked=${table.public}
      onChange=${() => acts.act(table.public ? "private" : "public")} /> show it in the public list</label>
  </div>`;
}

