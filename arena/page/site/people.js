// Who is at a table, and what its host can do.

import { html, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { copyText } from "../player/takeaway.js";
import { addressOf } from "./base.js";
import { Clock } from "./clock.js";
import { counted, range } from "./parts.js";
import { ruleSaid } from "./rules.js";

// Players in the order of play, then those who came later.
export function ordered(players) {
  const place = (player) => player.seat ?? Infinity;
  return [...players].sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
}

const WAYS = { program: "bot over TCP", house: "bot" };

export function marksOf(player, table) {
  return [
    isOwn(player, table) && "you",
    player.nickname === table.admin_nickname && "host",
    WAYS[player.way] ?? null,
    table.status !== "playing" && player.is_ready && "ready",
    player.is_away && "away",
    player.is_out && "out",
    player.has_left && "left",
  ].filter(Boolean);
}

export function People({ table, since, acts }) {
  return html`<section class="card people"><h2>Players</h2>
    <ul class="rows">${ordered(table.players).map((player) => {
      const clock = table.status === "playing" && !table.is_asleep ? table.clocks[player.nickname] : undefined;
      return html`<li key=${player.playerID} class=${clock === undefined ? "" : "asked"}>
        <bdi class="name">${player.nickname}</bdi>
        ${marksOf(player, table).map((mark) => html`<span class="tag" key=${mark}>${mark}</span>`)}
        <span class="end">${clock === undefined ? "" : clock === null || isOwn(player, table) ? html`<span class="soft">to move</span>` : html`<${Clock} ms=${clock} since=${since} />`}
          <${MakeHost} player=${player} table=${table} acts=${acts} /></span></li>`;
    })}</ul>
    <${Watching} table=${table} />
    <${Terms} table=${table} />
  </section>`;
}

// One's own clock is beside one's moves.
const isOwn = (player, table) => player.playerID === table.you?.playerID;

// Beside a player who can be host, for the host.
export function MakeHost({ player, table, acts }) {
  const you = table.you;
  if (!you?.is_host || player.playerID === you.playerID || player.way !== "person" || player.has_left) return "";
  return html`<button type="button" class="quiet small" aria-label=${`Make ${player.nickname} host`}
    onClick=${() => acts.act("host", { playerID: player.playerID })}>Make host</button>`;
}

export function Watching({ table }) {
  const more = table.spectators_count - table.spectators.length;
  if (!table.spectators_count) return "";
  return html`<p class="soft">Watching: ${isolated(table.spectators.join(", "), table.spectators)}${more ? ` and ${counted(more, "other")}` : ""}</p>`;
}

// The house rules and the clock.
export function Terms({ table }) {
  const rules = Object.entries(table.rules);
  const limit = table.move_time_s === null ? "no limit" : `${table.move_time_s} s`;
  return html`<details><summary>House rules and clock</summary><dl class="terms">
    <div><dt>time for a move</dt><dd>${limit}</dd></div><div><dt>seats</dt><dd>${range(table.seats)}</dd></div>
    ${rules.map(([name, value]) => html`<div key=${name}><dt>${name.replaceAll("_", " ")}</dt><dd>${ruleSaid(value)}</dd></div>`)}</dl></details>`;
}

// The link and the code that bring others here.
export function Share({ id }) {
  const [said, say] = useState("");
  const field = useRef(null);
  const link = addressOf(`/tables/${encodeURIComponent(id)}`);
  const copy = async () => {
    const isCopied = await copyText(link);
    if (!isCopied) field.current.select();
    say(isCopied ? "Copied." : "Copy it from the field.");
  };
  return html`<section class="card"><h2>Invite others</h2>
    <p class="line"><label class="unseen" for="link">Link of this table</label>
      <input id="link" ref=${field} readonly value=${link} onFocus=${(event) => event.target.select()} />
      <button type="button" onClick=${copy}>Copy</button></p>
    <p class="soft">Whoever has the link can join or watch. <span role="status">${said}</span></p>
    <p class="soft">Code: <code>${id}</code></p>
  </section>`;
}
