// The folders of results that the server shows; each is a report of its own.

import { html } from "../html.js";
import { get, sentence } from "./ask.js";
import { counted, Heading, Trouble, useAsked } from "./parts.js";
import { useTitle } from "./routes.js";

export function Page({ takesFocus }) {
  useTitle("Results");
  const { value, refused } = useAsked(() => get("/api/results"), []);
  return html`<${Heading} takesFocus=${takesFocus}>Results<//>
    <p class="lead">Tournaments that were played here: leaderboards, and every match to watch.</p>
    <${Trouble} refused=${refused} />
    ${value?.length === 0 ? html`<p class="soft">There are none yet: <code>arena run</code> plays a tournament.</p>` : ""}
    <ul class="cards">${(value ?? []).map((folder) => html`<${Folder} key=${folder.name} folder=${folder} />`)}</ul>`;
}

function Folder({ folder }) {
  if (folder.problem) return html`<li class="card"><h2>${folder.name}</h2><p class="soft">${sentence(folder.problem)}</p></li>`;
  const isWhole = folder.matches >= folder.planned;
  return html`<li class="card"><h2><a href=${`/results/${encodeURIComponent(folder.name)}`}>${folder.name}</a>${folder.running ? html` <span class="tag">running</span>` : ""}</h2>
    <p>${folder.title ?? folder.game}</p>
    <p class="soft">${counted(folder.bots, "bot")}, ${isWhole ? counted(folder.matches, "match", "matches") : `${folder.matches} of ${folder.planned} matches`}<br />
      <time datetime=${new Date(1000 * folder.changed).toISOString()}>${new Date(1000 * folder.changed).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}</time></p></li>`;
}
