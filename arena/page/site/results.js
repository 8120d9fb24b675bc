// The folders of results that the server shows; each is a report of its own.

import { html } from "../html.js";
import { get } from "./ask.js";
import { Heading, Trouble, useAsked } from "./parts.js";
import { useTitle } from "./routes.js";

export function Page({ takesFocus }) {
  useTitle("Results");
  const { value, refused } = useAsked(() => get("/api/results"), []);
  return html`<${Heading} takesFocus=${takesFocus}>Results<//>
    <p class="lead">Tournaments that were played here: leaderboards, and every match to watch.</p>
    <${Trouble} refused=${refused} />
    ${value?.length === 0 ? html`<p class="soft">There are none yet: <code>arena run</code> plays a tournament.</p>` : ""}
    <ul class="cards">${(value ?? []).map((folder) => html`<li class="card" key=${folder.name}>
      <h2><a href=${`/results/${encodeURIComponent(folder.name)}`}>${folder.name}</a></h2>
      <p class="soft">${Object.entries(folder).filter(([name, said]) => name !== "name" && ["string", "number"].includes(typeof said)).map(([, said]) => said).join(" · ")}</p></li>`)}</ul>`;
}
