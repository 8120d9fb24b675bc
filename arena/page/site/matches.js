// All matches of a results folder, or those of one bot; each can be watched.

import { html, useEffect, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { get } from "./ask.js";
import { counted, Heading, listed, Trouble, useDoing } from "./parts.js";
import { useTitle } from "./routes.js";

const PAGE = 100;

export function Page({ id: folder, takesFocus }) {
  useTitle(`Matches of ${folder}`);
  const here = `/results/${encodeURIComponent(folder)}`;
  const [bot, setBot] = useState(() => new URLSearchParams(location.search).get("bot") ?? "");
  const [found, set] = useState(null);
  const [run, busy, refused] = useDoing();
  const ask = (first) => run(async () => {
    const about = new URLSearchParams({ first, count: PAGE, ...(bot && { bot }) });
    const page = await get(`/api${here}/matches?${about}`);
    set((old) => ({ ...page, of: bot, matches: first ? [...old.matches, ...page.matches] : page.matches }));
  });
  useEffect(() => { if (!busy && found?.of !== bot && !refused) ask(0); }, [bot, busy]);
  const choose = (name) => {
    setBot(name);
    history.replaceState(null, "", `${here}/matches${name ? `?bot=${encodeURIComponent(name)}` : ""}`);
  };
  return html`<${Heading} takesFocus=${takesFocus}>Matches of ${folder}<//>
    <p class="lead"><a href=${here}>The report</a> says who is best, and how sure that is.</p>
    <${Trouble} refused=${refused} />
    ${found && html`<p class="field inline"><label for="bot">Played by</label>
      <select id="bot" value=${bot} onChange=${(event) => choose(event.target.value)}>
        <option value="">everybody</option>${found.bots.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select></p>
      <p class="soft" role="status">${counted(found.matches_in_all, "match", "matches")}</p>
      <ul class="rows">${found.matches.map((match) => html`<${Row} key=${match.match_id} match=${match} here=${here} />`)}</ul>
      ${found.next !== null && html`<p><button type="button" disabled=${busy} onClick=${() => ask(found.next)}>Show more</button></p>`}`}`;
}

function Row({ match, here }) {
  const said = html`${isolated(listed(match.names), match.names)}<br /><span class="soft">${isolated(resultOf(match), match.names)}${match.faults ? ` · ${counted(match.faults, "fault")}` : ""}</span>`;
  if (match.sealed) return html`<li><p>${said} <span class="soft">· its series is still played</span></p></li>`;
  return html`<li><a href=${`${here}/matches/${match.match_id}`}>${said}</a></li>`;
}

function resultOf({ names, ranks }) {
  if (!ranks) return "its rules failed";
  const first = names.filter((_, seat) => ranks[seat] === 1);
  return first.length === names.length ? "a draw" : `${listed(first)} ${first.length === 1 ? "won" : "shared first place"}`;
}
