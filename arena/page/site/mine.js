// The matches that were played at tables in this browser: nobody else keeps this list.

import { html, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { place as placeWord } from "../drawings/words.js";
import { saveFile } from "../player/takeaway.js";
import { forgetMatches, keptMatches, MATCHES_MAX } from "./kept.js";
import { counted, Heading, listed } from "./parts.js";
import { useTitle } from "./routes.js";

export function Page({ takesFocus }) {
  useTitle("My matches");
  const [matches, set] = useState(keptMatches);
  const [asks, ask] = useState(false);
  const forget = (ids) => { forgetMatches(ids); set(keptMatches()); ask(false); };
  const save = () => saveFile(new Blob([JSON.stringify(matches, null, 1)], { type: "application/json" }), "my-matches.json");
  return html`<${Heading} takesFocus=${takesFocus}>My matches<//>
    <p class="lead">The matches that you played at tables of this server, the newest ${MATCHES_MAX}. Only this browser knows the list.</p>
    <p class="line"><span class="soft" role="status">${counted(matches.length, "match", "matches")}</span>
      ${matches.length > 0 && html`<button type="button" onClick=${save}>Save as JSON</button>
        ${asks ? html`<button type="button" onClick=${() => forget(matches.map(({ id }) => id))}>Remove all of them</button>
          <button type="button" class="quiet" onClick=${() => ask(false)}>Keep them</button>` : html`<button type="button" onClick=${() => ask(true)}>Remove all</button>`}`}</p>
    ${matches.length ? html`<ul class="rows">${matches.map((match) => html`<${Row} key=${match.id} match=${match} forget=${forget} />`)}</ul>`
      : html`<p><a href="/">Play one</a>, and it is found here afterwards.</p>`}`;
}

function Row({ match, forget }) {
  const when = new Date(match.at), isDated = !Number.isNaN(when.getTime());
  return html`<li class="kept"><a href=${`/matches/${encodeURIComponent(match.id)}`}><b>${match.title}</b>: ${isolated(listed(match.names), match.names)}<br />
      <span class="soft">${isolated(resultOf(match), match.names)}${isDated ? html` · <time datetime=${when.toISOString()}>${when.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}</time>` : ""}</span></a>
    <button type="button" class="quiet" aria-label=${`Remove ${match.title} with ${listed(match.names)}`} onClick=${() => forget([match.id])}>Remove</button></li>`;
}

function resultOf({ names, ranks, you }) {
  if (!ranks) return "its end was not seen here";
  const first = names.filter((name) => ranks[name] === 1);
  if (first.length === names.length) return "a draw";
  if (ranks[you] > 1 && names.length > 2) return `you came ${placeWord(ranks[you])}; ${listed(first)} won`;
  return ranks[you] > 1 ? `you lost to ${listed(first)}` : first.length === 1 ? "you won" : "you shared first place";
}
