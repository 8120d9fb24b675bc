// All matches of a results folder, or those of one bot; each can be watched.

import { html, useEffect, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { get } from "./ask.js";
import { leagueToken } from "./kept.js";
import { counted, Heading, listed, Trouble, useDoing } from "./parts.js";
import { useTitle } from "./routes.js";

const PAGE = 100;

const KINDS = [["", "all"], ["lost", "those lost"], ["faults", "those with faults"], ["upsets", "upsets"]];

// The filter in an address: what is not asked for is left out.
const queryOf = (asked) => String(new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "")));

export function Page({ id: folder, takesFocus }) {
  const here = `/results/${encodeURIComponent(folder)}`;
  return html`<${Matches} ...${{ name: folder, here, takesFocus }}><a href=${here}>The report</a> says who is best, and how sure that is.<//>`;
}

// The matches of a league, of which everybody may see some.
export function LeagueMatches({ id: name, takesFocus }) {
  const here = `/leagues/${encodeURIComponent(name)}`;
  return html`<${Matches} ...${{ name, here, takesFocus, token: leagueToken(name) }}><a href=${here}>The league</a> shows who stands where.<//>`;
}

// `here`: what their addresses begin with; `token`: who looks, where that counts; `children`: where to go from here.
function Matches({ name, here, takesFocus, token = null, children }) {
  useTitle(`Matches of ${name}`);
  const [asked, change] = useState(() => {
    const said = new URLSearchParams(location.search);
    return Object.fromEntries(["bot", "versions", "against", "only"].map((of) => [of, said.get(of) ?? ""]));
  });
  const [found, set] = useState(null);
  const [run, busy, refused, forget] = useDoing();
  const query = queryOf(asked);
  const ask = (first) => run(async () => {
    const page = await get(`/api${here}/matches?${queryOf({ ...asked, first, count: PAGE })}`, token);
    set((old) => ({ ...page, of: query, matches: first ? [...old.matches, ...page.matches] : page.matches }));
  });
  useEffect(() => { if (!busy && found?.of !== query && !refused) ask(0); }, [query, busy, refused]);
  const choose = (changed) => {
    const next = { ...asked, ...changed };
    if (!next.bot && next.only === "lost") next.only = "";
    if (changed.bot !== undefined) next.versions = "";
    forget();
    change(next);
    history.replaceState(null, "", `${here}/matches${queryOf(next) ? `?${queryOf(next)}` : ""}`);
  };
  const bots = found?.bots ?? [];
  const field = (of, label, choices) => html`<label for=${of}>${label}</label>
    <select id=${of} value=${asked[of]} onChange=${(event) => choose({ [of]: event.target.value })}>
      ${choices.map(([value, said]) => html`<option key=${value} value=${value}>${said}</option>`)}</select>`;
  const named = bots.map((bot) => [bot, bot]);
  const among = Object.values(found?.versions ?? {}).find((names) => names.includes(asked.bot)) ?? [];
  return html`<${Heading} takesFocus=${takesFocus}>Matches of ${name}<//>
    <p class="lead">${children}</p>
    <${Trouble} refused=${refused} />
    ${found && html`<p class="field inline">${field("bot", "Played by", [["", "everybody"], ...named])}
        ${among.length ? field("versions", "in", [["", "this version"], ["all", `all ${among.length} of its versions`]]) : ""}
        ${field("against", "with", [["", "anybody"], ...named.filter(([bot]) => bot !== asked.bot && !(asked.versions && among.includes(bot)))])}
        ${field("only", "Show", KINDS.filter(([kind]) => kind !== "lost" || asked.bot))}</p>
      ${asked.only === "upsets" ? html`<p class="soft">Matches won by whoever has the fewest points on average of those who played.</p>` : ""}
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
