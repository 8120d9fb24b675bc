// The leagues of the server: ladders that always run, to which people hand in bots.

import { html } from "../html.js";
import { get } from "./ask.js";
import { counted, Heading, Trouble, useAsked } from "./parts.js";
import { useTitle } from "./routes.js";

export function Page({ takesFocus }) {
  useTitle("Leagues");
  const { value, refused } = useAsked(() => get("/api/leagues"), []);
  return html`<${Heading} takesFocus=${takesFocus}>Leagues<//>
    <p class="lead">Bots that play one another all the time. Hand one in, see within minutes where it stands, and come back with the next version.</p>
    <${Trouble} refused=${refused} />
    ${value?.length === 0 ? html`<p class="soft">None is shown to everybody. If you have the name of one, its address is <code>/leagues/NAME</code>; <code>arena league new</code> makes one.</p>` : ""}
    <ul class="cards">${(value ?? []).map((league) => html`<${Card} key=${league.name} league=${league} />`)}</ul>`;
}

function Card({ league }) {
  return html`<li class="card"><h2><a href=${`/leagues/${encodeURIComponent(league.name)}`}>${league.name}</a>${league.is_played ? "" : html` <span class="tag">${league.is_paused ? "paused" : "not played"}</span>`}</h2>
    <p>${league.title}</p>
    <p class="soft">${counted(league.owners, "owner")}, ${counted(league.bots, "bot")} in play</p></li>`;
}
