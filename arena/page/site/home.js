// The first page: play at once, public tables, a table by its link.

import { html, useEffect, useState } from "../html.js";
import { allGames, at, get } from "./ask.js";
import { ownPath } from "./base.js";
import { keepNickname, NICKNAME_MAX, nickname } from "./kept.js";
import { makeTable, tableToWatch, usual } from "./opening.js";
import { Heading, listed, range, Trouble, useAsked, useDoing } from "./parts.js";
import { go, routeOf, useTitle } from "./routes.js";
import { Rules } from "./rules.js";

const REFRESH_MS = 5_000;

export function Page({ takesFocus }) {
  useTitle("");
  const games = useAsked(allGames, []);
  return html`<${Heading} takesFocus=${takesFocus}>Play the bots, or each other<//>
    <p class="lead">Games of hidden information, against house bots or with friends: share a table's link, and whoever has it can join or watch.
      House bots have levels from 1, easily beaten, to 5.</p>
    <${Nickname} />
    <${Trouble} refused=${games.refused} />
    <ul class="games">${(games.value ?? []).map((game) => html`<${GameCard} key=${game.name} game=${game} />`)}${games.value ? html`<${OwnBot} />` : ""}</ul>
    <div class="columns">
      <${PublicTables} games=${games.value ?? []} />
      <div>
        <${JoinByLink} />
        <${OwnTable} games=${games.value} />
        <p><a href="/matches">My matches</a>: those that you played before.</p>
      </div>
    </div>`;
}

export function Nickname() {
  const [name, set] = useState(nickname());
  const change = (event) => { set(event.target.value); keepNickname(event.target.value); };
  return html`<p class="field inline"><label for="nickname">You play as</label>
    <input id="nickname" value=${name} maxlength=${NICKNAME_MAX} autocomplete="nickname" spellcheck="false"
      aria-describedby="nickname-limit" onInput=${change} onBlur=${() => set(nickname())} />
    <small id="nickname-limit" class="soft">up to ${NICKNAME_MAX} characters</small></p>`;
}

function GameCard({ game }) {
  const bots = game.bots ?? [];
  const [bot, choose] = useState(usual(bots));
  const [[rule, offered] = []] = Object.entries(game.lengths);
  const [length, setLength] = useState(offered?.[0]);
  const [run, busy, refused] = useDoing();
  const rules = rule ? { [rule]: length } : {};
  const play = () => run(async () => go(`/tables/${await makeTable({ game: game.name, rules, bots: [bot], begins: true })}`));
  const watch = () => run(async () => go(`/tables/${await tableToWatch(game, rules)}`));
  return html`<li class="card game">
    <div class="face">${game.emblem ? html`<img src=${game.emblem} alt="" width="48" height="48" />` : ""}
      <div><h2>${game.title}</h2><p class="soft">${range(game.seats)} players <${Rules} game=${game} /></p></div></div>
    <p class="what">${game.line}</p>
    <label class="field"><span>against</span>
      <select value=${bot} onChange=${(event) => choose(event.target.value)}>${bots.map((each) => html`<option key=${each} value=${each}>${each}${game.levels[each] ? `, level ${game.levels[each]}` : ""}</option>`)}</select></label>
    ${rule ? html`<label class="field"><span>for</span>
      <select value=${length} onChange=${(event) => setLength(Number(event.target.value))}>${offered.map((each) => html`<option key=${each} value=${each}>${each} ${rule.replaceAll("_", " ")}</option>`)}</select></label>` : ""}
    <p class="line"><button type="button" class="primary" disabled=${busy || !bot} onClick=${play} aria-label=${`Play ${game.title} now`}>
      ${busy ? "One moment…" : "Play now"}</button>
      <button type="button" disabled=${busy || !bots.length} onClick=${watch} aria-label=${`Watch ${game.title} now`}>Watch one</button></p>
    <${Trouble} refused=${refused} />
  </li>`;
}

function PublicTables({ games }) {
  const [{ tables, refused }, set] = useState({ tables: null, refused: null });
  useEffect(() => {
    let isOpen = true;
    const refresh = () => document.hidden || get("/api/tables").then(
      (found) => isOpen && set({ tables: found, refused: null }),
      (error) => isOpen && set((old) => ({ ...old, refused: error })),
    );
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      isOpen = false;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, []);
  const titles = Object.fromEntries(games.map((game) => [game.name, game.title]));
  return html`<section class="card"><h2>Public tables</h2>
    <${Trouble} refused=${refused} />
    ${tables?.length === 0 ? html`<p class="soft">None is open now. A host can make a table public with a switch.</p>` : ""}
    <ul class="rows">${(tables ?? []).map((table) => html`<${TableRow} key=${table.id} table=${table} title=${titles[table.game] ?? table.game} />`)}</ul>
  </section>`;
}

const STATUS = { waiting: "has not begun", playing: "is being played", finished: "between matches" };

function TableRow({ table, title }) {
  const who = table.nicknames.length ? listed(table.nicknames) : "nobody yet";
  return html`<li><a href=${`/tables/${encodeURIComponent(table.id)}`}>
    <b>${title}</b> <span class="soft">${STATUS[table.status]}</span><br />
    <bdi>${who}</bdi> <span class="soft">· ${table.seats.taken} of ${table.seats.most} seats taken</span></a></li>`;
}

// The id of a table from its link, or itself, in small letters.  Throws an Error with a sentence if it is neither.
export function idOf(text) {
  const said = text.trim();
  if (!said) throw new Error("paste the link of a table here, or its code");
  let link = null;
  try {
    link = new URL(said, location.href);
  } catch {
    // then it is a code
  }
  if (link && link.host !== location.host) throw new Error(`that is a link of another server: open it in the browser, or paste a link of ${location.host}`);
  const route = routeOf(link ? ownPath(link.pathname) : said);
  const id = route.page === "table" ? route.id : said;
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error("that is neither the link of a table nor its code");
  return id.toLowerCase();
}

function JoinByLink() {
  const [text, set] = useState("");
  const [run, busy, refused] = useDoing();
  const join = (event) => {
    event.preventDefault();
    run(async () => {
      const id = idOf(text);
      await get(at(id));
      go(`/tables/${encodeURIComponent(id)}`);
    });
  };
  return html`<section class="card"><h2>Join by link</h2>
    <form class="line" onSubmit=${join}>
      <label class="unseen" for="code">Link or code of a table</label>
      <input id="code" value=${text} autocapitalize="off" placeholder="link or code" autocomplete="off" spellcheck="false" onInput=${(event) => set(event.target.value)} />
      <button disabled=${busy}>Go there</button>
    </form>
    <${Trouble} refused=${refused} /></section>`;
}

// The form is fetched when it is asked for.
function OwnTable({ games }) {
  const [Form, set] = useState(null);
  const [run, busy, refused] = useDoing();
  const open = () => run(async () => {
    const { MakeTable } = await import("./make.js").catch(() => { throw new Error("this part of the page could not be loaded: try again"); });
    set(() => MakeTable);
  });
  return html`<section class="card"><h2>Your own table</h2>
    ${Form && games ? html`<${Form} games=${games} />` : html`<p>Choose the game, its house rules, the clock and who plays.</p>
      <p><button type="button" disabled=${busy || !games} onClick=${open}>Create a table</button></p>`}
    <${Trouble} refused=${refused} /></section>`;
}

// How a program of one's own comes to a table here.
function OwnBot() {
  const port = document.querySelector('meta[name="bots-port"]')?.content;
  return html`<li class="card game"><h2>Bring your bot</h2>
    <p>A program in any language that reads questions and writes moves, one line of JSON each: <code>arena new mybot</code> writes the beginning of one.</p>
    ${port ? html`<p><code>ARENA_HOST=${location.hostname} ARENA_PORT=${port} python3 mybot/bot.py</code> brings it to the open table here;
      with the key of a seat as <code>ARENA_TOKEN</code>, to any other.</p>` : ""}</li>`;
}
