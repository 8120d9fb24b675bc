// A table: the board and the moves, who is here, what they say, and how to come and go.

import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { isolated, shortened } from "../drawings/names.js";
import { sceneAt } from "../film.js";
import { kit } from "../kit.js";
import { Player } from "../player.js";
import { allGames, sentence } from "./ask.js";
import { addressOf } from "./base.js";
import { Chat } from "./chat.js";
import { Clock, Ring } from "./clock.js";
import { keepMatch, keepNickname, NICKNAME_MAX, nickname } from "./kept.js";
import { Between } from "./lobby.js";
import { Moves, Typed } from "./moves.js";
import { People, Share } from "./people.js";
import { counted, Heading, listed, Trouble, useAsked } from "./parts.js";
import { go, momentOf, useCall, useTitle } from "./routes.js";
import { Rules } from "./rules.js";
import { symbols } from "./symbols.js";
import { standing, useActs, useTable } from "./table_state.js";

export function Page({ id, takesFocus }) {
  const shown = useTable(id);
  const acts = useActs(id, shown);
  const games = useAsked(allGames, []).value ?? [];
  useEffect(() => { symbols(); }, []);
  const { table } = shown;
  const game = games.find((each) => each.name === table?.game) ?? null;
  useCall(Boolean(table?.you?.options) && forced(table) === null);
  const reading = useReading(shown);
  useTitle(shown.over ? "Closed table" : table ? titleOf(table, game) : "Table");
  if (shown.over) return html`<${Over} reason=${shown.over} takesFocus=${takesFocus} />`;
  if (!table) return html`<${Heading} takesFocus=${takesFocus}>Table<//><${Link} lost=${shown.lost} /><p class="soft">${shown.lost ? "" : "One moment…"}</p>`;
  const here = standing(table);
  return html`
    <div class="head"><${Heading} takesFocus=${takesFocus}>${game?.title ?? table.game}<//>
      <span class="soft">${statusSaid(table)}</span>${game ? html`<${Rules} game=${game} rules=${table.rules} sceneNow=${() => sceneNow(shown)} />` : ""}<${Leave} acts=${acts} here=${here} /></div>
    <${Link} lost=${shown.lost} />
    ${shown.seatLost ? html`<p class="trouble" role="alert">Your seat here is gone: ${sentence(shown.seatLost)} You are watching now.</p>` : ""}
    ${shown.alert ? html`<p class="note" role="status">${sentence(shown.alert)}</p>` : ""}
    ${here.own?.is_away ? html`<p class="note back" role="status">You are shown as away, as you missed two turns. <button type="button" disabled=${acts.busy} onClick=${() => acts.act("back")}>I am back</button></p>` : ""}
    ${table.is_asleep ? html`<p class="note" role="status">This match is asleep: it goes on when its player is back.</p>` : ""}
    <${Trouble} refused=${acts.refused} />
    <p class="unseen" role="status">${here.isAsked && forced(table) === null ? `${callFor(table)}.` : ""}</p>
    ${reading.film ? html`<${Stage} key=${`${reading.film.match} ${reading.film.sees}`} ...${{ shown, reading, here, acts, game, id }} />` : html`<div class="at-table">
      <div class="middle">${here.isPlaying ? "" : html`<${Between} ...${{ table, here, acts, game }} />`}</div>
      <aside>
        ${here.you ? "" : html`<${Join} ...${{ table, here, acts }} />`}
        <${Share} id=${id} />
        <${Chat} table=${table} acts=${acts} />
      </aside>
    </div>`}`;
}

// What the board shows now; null before a match.
const sceneNow = ({ film }) => (film ? sceneAt(film, film.steps.length - 1, film.sees) : null);

function titleOf(table, game) {
  const name = `${game?.title ?? table.game}${table.players.length ? ` with ${listed(table.players.map((player) => player.nickname))}` : ""}`;
  return table.you?.options && forced(table) === null ? `${callFor(table)}: ${name}` : name;
}

function statusSaid(table) {
  if (table.status === "playing") return `match ${table.match?.number ?? 1}`;
  return table.status === "waiting" ? "has not begun" : "the match is over";
}

// A calm line while there is no connection.
function Link({ lost }) {
  return html`<div role="status">${lost ? html`<p class="note">${sentence(lost)} Connecting again…</p>` : ""}</div>`;
}

function Over({ reason, takesFocus }) {
  return html`<${Heading} takesFocus=${takesFocus}>This table is not open<//>
    <p>${sentence(reason)}</p><p><a href="/">To the games and tables</a></p>`;
}

// Leaving asks once more while the seat would play on.
function Leave({ acts, here }) {
  const [asks, set] = useState(false);
  if (!here.you) return html`<a class="leave" href="/">Leave</a>`;
  const leave = async () => { if (await acts.leave()) go("/"); };
  const needsAsking = here.isPlaying && here.own && !here.own.is_out;
  if (!asks || !needsAsking) return html`<button type="button" class="quiet leave" onClick=${needsAsking ? () => set(true) : leave}>Leave</button>`;
  return html`<span class="leave">Your seat will keep playing, with default moves. <button type="button" onClick=${leave}>Leave</button>
    <button type="button" class="quiet" onClick=${() => set(false)}>Stay</button></span>`;
}

// The match, and the moves of whoever sits here; who is here, what they say, and how to bring others, beside what happened.
function Stage({ shown, reading, here, acts, game, id }) {
  const { version, table } = shown;
  const { film, reads, isOld, onNext } = reading;
  const module = useBoard(game);
  const { match_id, names, ranks } = table.match;
  useEffect(() => {
    if (here.seat === null) return;
    keepMatch({ id: match_id, game: table.game, title: film.title, names, you: here.you.nickname, ranks });
  }, [match_id, Boolean(ranks), here.seat === null]);
  if (module === undefined) return html`<p class="soft">The board is being fetched…</p>`;
  const beside = here.isPlaying
    ? html`<${Turn} ...${{ shown, here, acts, module }} />`
    : (ending) => html`<${Between} ...${{ table, here, acts, game, ending }} />`;
  const link = (step, viewer) => addressOf(`/matches/${encodeURIComponent(film.match)}${momentOf((film.first ?? 0) + step, viewer)}&play`);
  const tabs = [
    { id: "chat", title: "Chat", news: table.chat.at(-1)?.number ?? 0, body: html`<${Chat} table=${table} acts=${acts} />` },
    { id: "players", title: "Players", body: html`<${People} table=${table} since=${shown.since} acts=${acts} />` },
    { id: "link", title: "Invite", body: html`<${Share} id=${id} />` },
    ...(here.you ? [] : [{ id: "join", title: "Join", body: html`<${Join} ...${{ table, here, acts }} />` }]),
  ];
  const start = reads && film.isFresh ? { step: 0 } : {};
  return html`<${Player} ...${{ film, version, module, seat: here.seat, watches: !here.own, beside, link, tabs, start, reads, isOld, onNext }} isCalled=${here.isAsked && forced(table) === null} />`;
}

// Bots do not wait for who watches them: their matches are shown at reading speed, and one stays until it has been read,
// while others are played.
function useReading({ film, table }) {
  const [kept, keep] = useState(null);
  const reads = table !== null && standing(table).seat === null && !table.players.some((player) => player.way === "person" && !player.has_left);
  const isOld = Boolean(reads && kept && film && kept.match !== film.match);
  useEffect(() => { if (!isOld) keep(film); }, [film, isOld]);
  const onNext = (isNow) => {
    if (isNow && film.status === "playing") film.isFresh = false; // not from its start
    keep(film);
  };
  return { film: isOld ? kept : film, reads, isOld, onNext };
}

const boards = new Map();

// The board of a game; undefined while it is fetched, null if there is none.
function useBoard(game) {
  const path = game?.board ?? null;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!game || boards.has(path)) return;
    const keep = (module) => { boards.set(path, module); redraw((count) => count + 1); };
    if (path) import(path).then(keep, () => keep(null));
    else keep(null);
  }, [game?.name]);
  return game ? boards.get(path) : undefined;
}

const AGAIN_MS = 1000; // after which a pass that did not reach the server is sent again

// Whose turn it is, and, if it is ours, what we may do.
function Turn({ shown, here, acts, module }) {
  const { table, film, version, since } = shown;
  const box = useRef(null);
  const isMine = here.isAsked && !acts.hasAnswered && !shown.lost;
  const wasInside = useRef(false);
  // Buttons that held the focus are gone with the turn: the keys go on from the same place.
  useEffect(() => {
    if (wasInside.current && document.activeElement === document.body) box.current.focus({ preventScroll: true });
  });
  const scene = useMemo(() => sceneNow(shown), [film, version]);
  const send = (said) => acts.move(said);
  const only = isMine ? forced(table) : null;
  const turn = `${table.match.match_id} ${table.match.turn}`;
  const tried = useRef("");
  const [lostPasses, lost] = useState(0);
  useEffect(() => {
    if (only === null || tried.current === turn) return;
    tried.current = turn; // once: what was refused is not sent again
    const again = () => { if (tried.current === turn) { tried.current = ""; lost((count) => count + 1); } };
    acts.pass(only).then((hadIt) => { if (!hadIt) setTimeout(again, AGAIN_MS); });
  }, [only, turn, lostPasses]);
  // Whoever must move is waited for; where all may be silent, those who may yet answer.
  const { to_act: asked, to_move: due } = table.match;
  const others = (due.length ? due : asked).filter((name) => name !== here.you?.nickname || !isMine);
  const own = here.you && table.clocks[here.you.nickname];
  return html`<section class=${`turn${isMine && only === null ? " mine" : ""}`} ref=${box} tabindex="-1" aria-label="Your moves"
    onFocusIn=${() => { wasInside.current = true; }} onFocusOut=${(event) => { if (event.relatedTarget) wasInside.current = false; }}>
    ${isMine && only === null ? html`<p class="whose"><b>${callFor(table)}</b>${typeof own === "number" ? html` <${TimeLeft} ms=${own} since=${since} silenceS=${table.you.silence_s} />` : ""}</p>
      <${Controls} ...${{ module, scene, table, seat: here.seat, ...spokenOnly(table, shown.moves ?? []), send: (move) => send({ move }) }} />
      <${Typed} options=${table.you.options} moves=${shown.moves ?? []} send=${(words) => send({ words })} />` : html`<p class="whose soft"><span>${isolated(waitingSaid(others, due.length > 0, here, acts, table.is_asleep), others, shortened)}</span></p>`}
  </section>`;
}

// The move of a bystander who has no choice: several are asked, and it may do one thing alone, such as pass.
function forced(table) {
  const [option, other] = table.you.options;
  return table.match.to_act.length > 1 && !other && typeof option.form === "string" && !Object.keys(option.fields).length ? option.form : null;
}

// The clock; where silence is a move, a ring that closes while it runs, and nothing before.
function TimeLeft({ ms, since, silenceS }) {
  if (silenceS === null) return html`<${Clock} ms=${ms} since=${since} />`;
  return ms <= 1000 * silenceS ? html`<${Ring} ms=${ms} since=${since} whole=${1000 * silenceS} />` : null;
}

const isPass = ({ kind }) => kind.toLowerCase() === "pass";

// Where several are asked, whoever may pass is a bystander, who answers somebody else's move.
const isBystander = (table) => table.match.to_act.length > 1 && table.you.options.some(isPass);
const callFor = (table) => (isBystander(table) ? "You may answer" : "Your turn");

// What has to be said: a bystander passes by being silent.
function spokenOnly(table, moves) {
  const { options, silence_s } = table.you;
  if (silence_s === null || !isBystander(table)) return { options, moves };
  const passes = options.filter(isPass).map(({ form }) => JSON.stringify(form));
  return { options: options.filter((option) => !isPass(option)), moves: moves.filter(({ move }) => !passes.includes(JSON.stringify(move))) };
}

const NAMED_MAX = 3; // of those who are to move; more are a number, and the players' tab has them all

function waitingSaid(names, isDue, here, acts, isAsleep) {
  if (isAsleep) return "Nobody is asked now.";
  if (here.own?.is_out) return "You are out of this match, and watch it to its end.";
  const waited = names.filter((name) => name !== here.you?.nickname);
  if (waited.length > NAMED_MAX) return `${waited.length} players are to move.`;
  if (!waited.length) return acts.hasAnswered ? "Your move is made." : names.length ? "Your turn comes in a moment." : "One moment…";
  return isDue ? `${listed(waited)} ${waited.length === 1 ? "is" : "are"} to move.` : `${listed(waited)} may still answer.`;
}

// The board's own controls, or the generic ones; a component of its own, so that hooks in a board work.
function Controls({ module, scene, table, seat, options, moves, send }) {
  const Own = useMemo(() => (module?.controls ? (props) => module.controls(props, kit) : Moves), [module]);
  const turn = `${table.match.match_id} ${table.match.turn}`;
  return html`<${Own} key=${turn} ...${{ scene, seat, options, moves, send, kit }} />`;
}

// The remembered name, or with a number behind it if somebody here is called that.
function freeName(table) {
  const taken = [...table.players.map((player) => player.nickname), ...table.spectators].map((name) => name.toLowerCase());
  const own = nickname();
  let name = own;
  for (let number = 2; taken.includes(name.toLowerCase()); number++) name = `${own.slice(0, NICKNAME_MAX - 4)} ${number}`;
  return name;
}

// A seat, or a name among those who watch.
function Join({ table, here, acts }) {
  const [name, set] = useState(() => freeName(table));
  const canSit = table.status === "waiting" && !here.isFull;
  const join = (spectate) => { keepNickname(name); acts.join(name.trim(), spectate); };
  const submit = (event) => { event.preventDefault(); join(!canSit); };
  return html`<section class="card join"><h2>${canSit ? "Take a seat" : "You are watching"}</h2>
    <form onSubmit=${submit}>
      <label class="field"><span>Your name</span><input value=${name} required maxlength=${NICKNAME_MAX} autocomplete="nickname" spellcheck="false" onInput=${(event) => set(event.target.value)} /></label>
      <p class="line">${canSit ? html`<button class="primary" disabled=${acts.busy}>Take a seat</button>
        <button type="button" disabled=${acts.busy} onClick=${() => join(true)}>Watch</button>` : html`<button disabled=${acts.busy}>Watch under this name</button>`}</p>
    </form>
    ${canSit ? "" : html`<p class="soft">${table.status === "playing" ? "A match is being played." : here.isFull ? `All ${counted(table.seats.most, "seat")} are taken.` : "Its seats are kept for the next match."}</p>`}
  </section>`;
}
