// One league: where everybody stands, and, for who takes part, what became of the bots that they handed in.

import { html, useEffect, useState } from "../html.js";
import { ask, get, post, Refused, sentence } from "./ask.js";
import { Epochs } from "./epochs.js";
import { Connect, Connection } from "./connect.js";
import { HandIn } from "./hand_in.js";
import { keepLeagueToken, leagueToken } from "./kept.js";
import { counted, Heading, listed, Trouble, useAsked, useDoing } from "./parts.js";
import { useTitle } from "./routes.js";

const LOOK_MS = 10_000; // how often the standings are asked for; they are no newer on the server
const WAIT_S = 15; // how long the server may keep a question about our own bots open
const AGAIN_MS = 5_000;
const PLAYS = "playing";

export function Page({ id: name, takesFocus }) {
  const root = `/api/leagues/${encodeURIComponent(name)}`;
  const [token, setToken] = useState(() => leagueToken(name));
  const keep = (next) => { keepLeagueToken(name, next); setToken(next); };
  const standings = usePolled(`${root}/standings`, token), league = usePolled(root, token);
  const me = useMyself(root, token);
  const newest = me.value?.bots.flatMap((bot) => bot.versions.slice(-1)) ?? [];
  const judged = newest.find(({ state }) => state === "refused" || state === "failed") ? "Refused: " : newest.some(({ state }) => state === PLAYS) ? "Playing: " : "";
  useTitle(`${judged}${name}`);
  const missing = league.refused ?? me.refused;
  const refused = missing?.status === 401 && token === null ? new Refused(401, { message: "Only members see this league: join with the code that you were given, or enter your token" }) : missing;
  const shown = league.value;
  return html`<${Heading} takesFocus=${takesFocus}>${name}<//>
    ${shown && html`<p class="lead">A league of ${shown.title}, with ${counted(shown.owners, "owner")}. ${sentence(shown.state)} ${standings.value?.trouble ?? ""}</p>`}
    <${Trouble} refused=${refused} />
    ${me.value?.owner && html`<${Mine} ...${{ root, token, me: me.value, league: shown, forget: () => keep(null) }} />`}
    ${standings.value && html`<${Standings} standings=${standings.value} mine=${new Set((me.value?.owner?.bots ?? []))} />`}
    ${shown && html`<${Epochs} ...${{ root, token }} />`}
    ${me.value?.host && html`<${Hosting} ...${{ root, token, me: me.value, league: shown, forget: () => keep(null) }} />`}
    ${me.value === null && html`<${Join} ...${{ root, name, league: shown, keep, hasToken: token !== null }} />`}`;
}

// What the server says at an address, again and again while the page is looked at: { value, refused }.
function usePolled(path, token) {
  const [state, set] = useState({ value: null, refused: null });
  useEffect(() => {
    let timer = 0, isOpen = true, isRefused = false;
    const look = () => {
      if (document.hidden) { timer = setTimeout(look, AGAIN_MS); return; }
      get(path, token).then(
        (value) => isOpen && set({ value, refused: null }),
        (refused) => {
          if (isOpen) set((old) => ({ value: refused.status === 0 ? old.value : null, refused }));
          isRefused = refused.status === 401;
        },
      ).finally(() => { if (isOpen && !isRefused) timer = setTimeout(look, LOOK_MS); });
    };
    look();
    return () => { isOpen = false; clearTimeout(timer); };
  }, [path, token]);
  return state;
}

// Who we are in the league, as soon as anything of it changes; `value` is null without a token that is known there.
function useMyself(root, token) {
  const [state, set] = useState({ value: null, refused: null });
  useEffect(() => {
    set({ value: null, refused: null });
    if (token === null) return undefined;
    let isOpen = true, timer = 0;
    const look = (after) => ask("GET", `${root}/me${after === null ? "" : `?after=${after}&wait=${WAIT_S}`}`, { key: token }).then(
      async (value) => {
        if (!isOpen) return;
        set({ value, refused: null });
        look(value.version);
      },
    ).catch((refused) => {
      if (!isOpen) return;
      set((old) => ({ value: refused.status === 0 ? old.value : null, refused }));
      if (refused.status !== 401) timer = setTimeout(() => look(null), AGAIN_MS); // that will not change by itself
    });
    look(null);
    return () => { isOpen = false; clearTimeout(timer); };
  }, [root, token]);
  return state;
}

// The part of hosts, which is fetched for them alone.
function Hosting(props) {
  const { value: module, refused } = useAsked(() => import("./host.js").catch(() => { throw new Refused(0, { message: "This part of the page could not be loaded" }); }), []);
  return module ? html`<${module.Host} ...${props} Played=${Played} />` : html`<${Trouble} refused=${refused} />`;
}

function Standings({ standings, mine }) {
  if (!standings.places.length) return html`<p class="soft">Nobody is rated yet: the first matches are being played.</p>`;
  return html`<section aria-labelledby="standings"><h2 id="standings">Standings</h2>
    <div class="scrolls" tabindex="0" role="group" aria-label="Standings"><table class="standings">
      <thead><tr><th scope="col">Rank</th><th scope="col">Bot</th><th scope="col">Rating</th><th scope="col">Series</th></tr></thead>
      <tbody>${standings.places.map((place) => html`<${Place} key=${place.bot} place=${place} isMine=${mine.has(place.bot)} />`)}</tbody>
    </table></div>
    <p class="soft">After ${counted(standings.matches, "match", "matches")}; at most ten seconds old. A rank such as 2–5 is not settled: its true place is one of these, in 95 %. The mean of all ratings is 1500.</p></section>`;
}

function Place({ place, isMine }) {
  const rank = place.best === place.worst ? place.best : `${place.best}–${place.worst}`;
  return html`<tr class=${isMine ? "own" : ""}><td>${rank}${place.best === place.worst ? html` <span class="tag">settled</span>` : ""}</td>
    <th scope="row"><bdi>${place.name}</bdi>${isMine ? html` <span class="tag">yours</span>` : ""}
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

function Mine({ root, token, me, league, forget }) {
  const { owner, bots } = me;
  return html`<section class="card" aria-labelledby="mine"><div class="head"><h2 id="mine">Your bots</h2>
      <span class="soft"><bdi>${owner.own_name || owner.name}</bdi></span><button type="button" class="quiet leave" onClick=${forget}>Forget me in this browser</button></div>
    ${bots.map((bot) => html`<${Bot} key=${bot.id} ...${{ root, token, bot }} />`)}
    <${HandIn} ...${{ root, token, bots, league }} />
    <${Connect} ...${{ root, name: league?.name, token, bots }} /></section>`;
}

const STATES = {
  waiting: "waits to be tried", building: "is being built", checking: "is being checked", playing: "plays", refused: "was refused",
  failed: "failed in play", replaced: "was replaced", withdrawn: "was withdrawn", excluded: "is excluded by the host",
};

function Bot({ root, token, bot }) {
  const [run, busy, refused] = useDoing();
  const [newest, ...older] = [...bot.versions].reverse();
  const act = (what, body) => run(() => post(`${root}/bots/${bot.id}/${what}`, body, token));
  const back = ({ state, played, number }) => (["replaced", "withdrawn"].includes(state) && played !== null ? html` <button type="button" class="small" disabled=${busy} onClick=${() => act("roll-back", { version: number })}>Play it again</button>` : "");
  const isLive = bot.versions.some(({ state }) => ["waiting", "building", "checking", PLAYS].includes(state));
  return html`<div class="bot"><h3><bdi>${bot.name}</bdi> <small class="soft">${bot.id}</small></h3><${Trouble} refused=${refused} />
    <div role="status"><${Version} version=${newest}>${back(newest)}<//>${bot.playing !== null && bot.playing !== newest.number ? html`<p>Version ${bot.playing} plays on.</p>` : ""}
      ${bot.connection && html`<${Connection} connection=${bot.connection} name=${bot.name} />`}</div>
    ${older.length > 0 && html`<details><summary>Earlier versions</summary>${older.map((version) => html`<${Version} key=${version.number} version=${version}>${back(version)}<//>`)}</details>`}
    ${bot.versions.some(({ played }) => played !== null) && html`<${Played} ...${{ root, token, bot }} />`}
    ${isLive && html`<p><button type="button" class="quiet" disabled=${busy} onClick=${() => act("withdraw")}>Withdraw it</button></p>`}</div>`;
}

const KINDS = [["lost", "Lost matches"], ["faults", "Matches with faults"], ["", "All matches"], ["log", "What it printed"]];

// What a bot has played, and printed: asked for when it is opened.
function Played({ root, token, bot }) {
  const [kind, choose] = useState(null);
  const [found, set] = useState(null);
  const [run, busy, refused, forget] = useDoing();
  const look = (next, first = 0) => run(async () => {
    const path = `${root}/bots/${bot.id}`;
    const got = next === "log" ? await get(`${path}/log`, token) : await get(`${path}/matches?first=${first}${next ? `&only=${next}` : ""}`, token);
    set((old) => (first ? { ...got, matches: [...old.matches, ...got.matches] } : got));
  });
  const turn = (next) => { forget(); set(null); choose(next); look(next); };
  return html`<p class="line">${KINDS.map(([id, said]) => html`<button key=${id} type="button" class="quiet" aria-pressed=${String(kind === id)} disabled=${busy} onClick=${() => turn(id)}>${said}</button>`)}</p>
    <${Trouble} refused=${refused} />
    ${found?.text !== undefined && html`<pre class="reason" tabindex="0">${found.text}</pre>`}
    ${found?.matches && html`<p class="soft" role="status">${counted(found.matches_in_all, "match", "matches")}</p>
      <ul class="rows">${found.matches.map((match) => html`<${Match} key=${match.match_id} ...${{ root, match }} />`)}</ul>
      ${found.next !== null && html`<p><button type="button" disabled=${busy} onClick=${() => look(kind, found.next)}>Show more</button></p>`}`}`;
}

function Match({ root, match }) {
  const said = html`<bdi>${listed(match.names)}</bdi>${match.ranks ? html`<br /><span class="soft">${match.names.filter((_, seat) => match.ranks[seat] === 1).join(" and ")} won${match.faults ? ` · ${counted(match.faults, "fault")}` : ""}</span>` : ""}`;
  if (match.sealed) return html`<li><p>${said} <span class="soft">· its series is still played</span></p></li>`;
  return html`<li><a href=${`${root.replace("/api", "")}/matches/${match.match_id}`}>${said}</a></li>`;
}

function Version({ version, children }) {
  const connects = version.connects && version.state === "waiting";
  const why = connects ? "" : version.waits_for || version.reason;
  return html`<p>Version ${version.number} <b>${connects ? "waits for its connection" : STATES[version.state] ?? version.state}</b>${children}</p>
    ${why ? html`<pre class="said reason">${why}</pre>` : ""}`;
}
