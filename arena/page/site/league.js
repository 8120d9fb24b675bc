// One league: where everybody stands, and, for who takes part, what became of the bots that they handed in.

import { html, useState } from "../html.js";
import { post, Refused, sentence } from "./ask.js";
import { Epochs } from "./epochs.js";
import { Connect, Connection } from "./connect.js";
import { HandIn } from "./hand_in.js";
import { keepLeagueToken, leagueToken } from "./kept.js";
import { counted, Heading, Trouble, Unfolded, useAsked, useDoing } from "./parts.js";
import { Machine } from "./machine.js";
import { usePolled, useWatched } from "./polling.js";
import { useTitle } from "./routes.js";
import { isOut, Version } from "./version.js";

const PLAYS = "playing";

export function Page({ id: name, takesFocus }) {
  const root = `/api/leagues/${encodeURIComponent(name)}`;
  const [token, setToken] = useState(() => leagueToken(name));
  const keep = (next) => { keepLeagueToken(name, next); setToken(next); };
  const standings = usePolled(`${root}/standings`, token), league = usePolled(root, token);
  const here = `/leagues/${encodeURIComponent(name)}`, me = useWatched(token === null ? null : `${root}/me`, token);
  const newest = me.value?.bots.flatMap((bot) => bot.versions.slice(-1)) ?? [];
  const out = me.value?.bots.filter((bot) => isOut(bot.versions.at(-1))) ?? [];
  const judged = out.length ? "Refused: " : newest.some(({ state }) => state === PLAYS) ? "Playing: " : "";
  useTitle(`${judged}${name}`);
  const missing = league.refused ?? me.refused;
  const refused = missing?.status === 401 && token === null ? new Refused(401, { message: "Only members see this league: join with the code that you were given, or enter your token" }) : missing;
  const shown = league.value;
  return html`<${Heading} takesFocus=${takesFocus}>${name}<//>
    ${out.map((bot) => html`<${Out} key=${bot.id} ...${{ here, bot }} />`)}
    ${shown && html`<p class="lead">A league of ${shown.title}, with ${counted(shown.owners, "owner")}. ${sentence(shown.state)} ${standings.value?.trouble ?? ""}</p>`}
    <${Trouble} refused=${refused} />
    ${me.value?.owner && html`<${Mine} ...${{ here, root, token, me: me.value, league: shown, forget: () => keep(null) }} />`}
    ${standings.value && html`<${Standings} here=${here} standings=${standings.value} mine=${new Set((me.value?.owner?.bots ?? []))} />`}
    ${shown && html`<${Epochs} ...${{ root, token }} />`}
    ${me.value?.host && html`<${Hosting} ...${{ here, root, token, me: me.value, league: shown, forget: () => keep(null) }} />`}
    ${shown && html`<section><${Unfolded} title="What bots find on the machine"><${Machine} ...${{ root, token }} /><//></section>`}
    ${me.value === null && html`<${Join} ...${{ root, name, league: shown, keep, hasToken: token !== null }} />`}`;
}

// What an owner should know first: its bot was refused, or failed in play.
function Out({ here, bot }) {
  const { number, state, reason } = bot.versions.at(-1);
  return html`<div class="note" role="status"><p><b><bdi>${bot.name}</bdi> version ${number} ${state === "failed" ? "failed in play and was taken out" : "was refused"}.</b> ${reason ? sentence(reason.split("\n", 1)[0]) : ""}
    <a href=${`${here}/bots/${bot.id}`}>Why, and what to do</a></p></div>`;
}

// The part of hosts, which is fetched for them alone.
function Hosting(props) {
  const { value: module, refused } = useAsked(() => import("./host.js").catch(() => { throw new Refused(0, { message: "This part of the page could not be loaded" }); }), []);
  return module ? html`<${module.Host} ...${props} />` : html`<${Trouble} refused=${refused} />`;
}

function Standings({ here, standings, mine }) {
  if (!standings.places.length) return html`<p class="soft">Nobody is rated yet: the first matches are being played.</p>`;
  return html`<section aria-labelledby="standings"><h2 id="standings">Standings</h2>
    <div class="scrolls" tabindex="0" role="group" aria-label="Standings"><table class="standings">
      <thead><tr><th scope="col">Rank</th><th scope="col">Bot</th><th scope="col">Rating</th><th scope="col">Series</th></tr></thead>
      <tbody>${standings.places.map((place) => html`<${Place} key=${place.bot} here=${here} place=${place} isMine=${mine.has(place.bot)} />`)}</tbody>
    </table></div>
    <p class="soft">After ${counted(standings.matches, "match", "matches")}; at most ten seconds old. A rank such as 2–5 is not settled: its true place is one of these, in 95 %. The mean of all ratings is 1500.</p></section>`;
}

function Place({ here, place, isMine }) {
  const rank = place.best === place.worst ? place.best : `${place.best}–${place.worst}`;
  return html`<tr class=${isMine ? "own" : ""}><td>${rank}${place.best === place.worst ? html` <span class="tag">settled</span>` : ""}</td>
    <th scope="row">${place.owner === null ? html`<bdi>${place.name}</bdi>` : html`<a href=${`${here}/bots/${place.bot}`}><bdi>${place.name}</bdi></a>`}${isMine ? html` <span class="tag">yours</span>` : ""}
      <small class="soft">${place.owner === null ? "the arena's" : html`version ${place.version}, <bdi>${place.owner_name}</bdi>${place.connects ? " · connects" : ""}`}</small></th>
    <td>${Math.round(place.rating)}${place.error === null ? "" : ` ± ${Math.round(place.error)}`}</td><td>${place.series.toLocaleString("en")}</td></tr>`;
}

function Join({ root, name, league, keep, hasToken }) {
  const [run, busy, refused] = useDoing();
  const [joined, show] = useState(null);
  const join = (event) => {
    event.preventDefault();
    const said = new FormData(event.target);
    run(async () => {
      const found = await post(`${root}/owners`, { name: said.get("name").trim(), code: said.get("code").trim() || null });
      keepLeagueToken(name, found.token); // the code may be used up: nothing else lets them in again
      show(found);
    });
  };
  const enter = (event) => {
    event.preventDefault();
    keep(new FormData(event.target).get("token").trim() || null);
  };
  if (joined) return html`<section class="card" role="status"><h2>You are <bdi>${joined.name}</bdi></h2>
    <p>Your token, shown this once: <code class="token">${joined.token}</code></p>
    <p class="soft">This browser keeps it. Elsewhere, and for <code>arena submit</code>, you need it again; if it is lost, the host can give you a new one.</p>
    <p><button type="button" class="primary" onClick=${() => keep(joined.token)}>Hand in a bot</button></p></section>`;
  return html`<div class="columns">
    <section class="card" aria-labelledby="join"><h2 id="join">Join</h2><${Trouble} refused=${refused} />
      ${league?.join === "closed" ? html`<p>This league takes nobody new.</p>` : html`<form onSubmit=${join}>
        <label class="field"><span>Your public name, or your team's</span><input name="name" maxlength="24" autocomplete="nickname" /></label>
        <label class="field"><span>The code that you were given${league?.join === "open" ? " (none is needed)" : ""}</span><input name="code" maxlength="60" autocomplete="off" /></label>
        <p><button class="primary" disabled=${busy}>Join</button></p></form>`}</section>
    <section class="card" aria-labelledby="enter"><h2 id="enter">${hasToken ? "Another token" : "Joined already?"}</h2>
      <form onSubmit=${enter}><label class="field"><span>Your token</span><input name="token" type="password" maxlength="128" autocomplete="off" /></label>
        <p class="line"><button>Enter</button>${hasToken && html`<button type="button" class="quiet" onClick=${() => keep(null)}>Forget the token in this browser</button>`}</p></form></section></div>`;
}

function Mine({ here, root, token, me, league, forget }) {
  const { owner, bots } = me;
  return html`<section class="card" aria-labelledby="mine"><div class="head"><h2 id="mine">Your bots</h2>
      <span class="soft"><bdi>${owner.own_name || owner.name}</bdi></span><button type="button" class="quiet leave" onClick=${forget}>Forget me in this browser</button></div>
    ${bots.map((bot) => html`<${Bot} key=${bot.id} ...${{ here, bot }} />`)}
    ${league?.hand_ins !== false && html`<${HandIn} ...${{ root, token, bots, league }} />`}
    <${Connect} ...${{ root, name: league?.name, token, bots }} /></section>`;
}

function Bot({ here, bot }) {
  const newest = bot.versions.at(-1);
  return html`<div class="bot"><h3><a href=${`${here}/bots/${bot.id}`}><bdi>${bot.name}</bdi></a> <small class="soft">${bot.id}</small></h3>
    <div role="status"><${Version} version=${newest} />${bot.playing !== null && bot.playing !== newest.number ? html`<p>Version ${bot.playing} plays on.</p>` : ""}
      ${bot.connection && html`<${Connection} connection=${bot.connection} name=${bot.name} />`}</div></div>`;
}
