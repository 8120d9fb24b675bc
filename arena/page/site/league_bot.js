// One bot of a league. Its owner also sees why versions are out, where they lost, how they failed, and what they printed.

import { html, useEffect, useRef, useState } from "../html.js";
import { copyText, saveFile } from "../player/takeaway.js";
import { file, get, post } from "./ask.js";
import { Connection } from "./connect.js";
import { leagueToken } from "./kept.js";
import { Heading, Trouble, useDoing } from "./parts.js";
import { usePolled, useWatched } from "./polling.js";
import { useTitle } from "./routes.js";
import { isOut, LIVE, Version } from "./version.js";

const MAKING_MS = 2_000; // until we ask again for what is being made

export function Page({ id, folder: name, takesFocus }) {
  const here = `/leagues/${encodeURIComponent(name)}`, root = `/api${here}`, path = `${root}/bots/${encodeURIComponent(id)}`;
  const token = leagueToken(name);
  const { value: bot, refused } = useWatched(path, token);
  const league = usePolled(root, token).value, standings = usePolled(`${root}/standings`, token).value;
  const newest = bot?.versions.at(-1), isOwn = typeof newest?.hash === "string"; // others are not told it
  const state = !isOwn ? "" : isOut(newest) ? "Refused: " : bot.playing !== null ? "Playing: " : "";
  useTitle(`${state}${bot?.name ?? id}`);
  return html`<${Heading} takesFocus=${takesFocus}><bdi>${bot?.name ?? id}</bdi><//>
    <${Trouble} refused=${refused} />
    ${isOwn && isOut(newest) && html`<${Out} version=${newest} league=${league} />`}
    ${bot && html`<p class="lead">A bot of <bdi>${bot.owner_name}</bdi> in <a href=${here}>${name}</a>. ${standing(standings?.places.find((place) => place.bot === bot.id))}</p>
      <${Versions} ...${{ path, token, bot, isOwn }} />
      ${bot.versions.some(({ played }) => played !== null) && html`<${Played} ...${{ here, path, token, bot, isOwn }} />`}`}`;
}

function standing(place) {
  if (!place) return "";
  const rank = place.best === place.worst ? `Rank ${place.best}` : `Rank ${place.best} to ${place.worst}`;
  return `${rank}, ${Math.round(place.rating)}${place.error === null ? "" : ` ± ${Math.round(place.error)}`} Elo.`;
}

// Why the newest version is out, before all else, and how its owner finds out more.
function Out({ version, league }) {
  const rules = Object.entries(league?.rules ?? {}).map(([rule, value]) => ` --rule ${rule}=${typeof value === "string" ? value : JSON.stringify(value)}`).join("");
  return html`<section class="card out" aria-labelledby="out"><h2 id="out">Version ${version.number} ${version.state === "failed" ? "failed in play and was taken out" : "was refused"}</h2>
    ${version.reason && html`<pre class="reason" tabindex="0">${version.reason}</pre>`}
    ${version.state === "failed" && html`<p>What it was asked when it failed is below, each with a command that asks it again.</p>`}
    ${league && html`<p>At home: <${Command} said=${`arena check ./mybot --game ${league.game}${rules}`} /></p>`}</section>`;
}

function Command({ said }) {
  const [isCopied, note] = useState(false);
  return html`<code>${said}</code> <button type="button" class="small" onClick=${async () => note(await copyText(said))}>Copy</button><span role="status">${isCopied ? " copied" : ""}</span>`;
}

function Versions({ path, token, bot, isOwn }) {
  const [run, busy, refused] = useDoing();
  const [printed, show] = useState(null);
  const act = (what, body) => run(() => post(`${path}/${what}`, body, token));
  const log = (number) => run(async () => show({ number, ...await get(`${path}/log?version=${number}`, token) }));
  const save = (number) => run(async () => saveFile(await file(`${path}/versions/${number}`, token), `${bot.id}@${number}.zip`));
  const buttons = ({ number, state, played, connects }) => isOwn && html` <span class="line">
    ${["replaced", "withdrawn"].includes(state) && played !== null && html`<button type="button" class="small" disabled=${busy} onClick=${() => act("roll-back", { version: number })} aria-label=${`Play version ${number} again`}>Play it again</button>`}
    ${played !== null && !connects && html`<button type="button" class="small" disabled=${busy} onClick=${() => log(number)} aria-label=${`What version ${number} printed`}>What it printed</button>`}
    ${!connects && html`<button type="button" class="small" disabled=${busy} onClick=${() => save(number)} aria-label=${`Download version ${number}`}>Download</button>`}</span>`;
  const [newest, ...older] = [...bot.versions].reverse();
  const shown = (version) => html`<${Version} key=${version.number} version=${isOut(version) && version === newest ? { ...version, reason: "" } : version}>${buttons(version)}<//>`;
  return html`<section class="card" aria-labelledby="versions"><h2 id="versions">Versions</h2><${Trouble} refused=${refused} />
    <div role="status">${shown(newest)}${bot.playing !== null && bot.playing !== newest.number ? html`<p>Version ${bot.playing} plays on.</p>` : ""}${bot.connection ? html`<${Connection} connection=${bot.connection} name=${bot.name} />` : ""}${bot.excluded ? html`<p>A host has excluded it: ${bot.excluded}</p>` : ""}</div>
    ${older.length > 0 && html`<details><summary>Earlier versions</summary>${older.map(shown)}</details>`}
    ${isOwn && bot.versions.some(({ state }) => LIVE.includes(state)) && html`<p><button type="button" class="quiet" disabled=${busy} onClick=${() => act("withdraw")}>Withdraw it</button></p>`}
    ${printed && html`<h3>What version ${printed.number} printed</h3><pre class="reason" tabindex="0">${printed.text}</pre>`}</section>`;
}

function Played({ here, path, token, bot, isOwn }) {
  const [run, busy, refused] = useDoing();
  const number = bot.versions.findLast(({ played }) => played !== null).number;
  const matches = (more) => `${here}/matches?${new URLSearchParams({ bot: `${bot.id}@${number}`, versions: "all", ...more })}`;
  return html`<section aria-labelledby="played"><h2 id="played">What it has played</h2>
    <p class="line"><a href=${matches({})}>All matches</a> <a href=${matches({ only: "lost" })}>Those it lost</a> <a href=${matches({ only: "faults" })}>Those in which it failed</a>
      ${isOwn && html`<button type="button" disabled=${busy} onClick=${() => run(async () => saveFile(await file(`${path}/matches.csv`, token), `${bot.id}.csv`))}>Matches as CSV</button>`}</p>
    <${Trouble} refused=${refused} />
    ${isOwn && html`<${Report} ...${{ path, token }} />`}</section>`;
}

// The bot's page of the report, in a tree of its own, as it has the styles of the report.
function Report({ path, token }) {
  const [found, set] = useState({ text: null, refused: null });
  const place = useRef(null);
  useEffect(() => {
    let isOpen = true, timer = 0;
    const look = () => get(`${path}/report`, token).then(
      ({ html: text }) => {
        if (!isOpen) return;
        if (text === null) timer = setTimeout(look, MAKING_MS);
        else set({ text, refused: null });
      },
      (refused) => isOpen && set({ text: null, refused }),
    );
    look();
    return () => { isOpen = false; clearTimeout(timer); };
  }, [path, token]);
  const save = (capsule) => file(`${path}/capsules/${capsule}`, token).then((blob) => saveFile(blob, capsule), (refused) => set((old) => ({ ...old, refused })));
  useEffect(() => { if (found.text !== null) fill(place.current, found.text, save); }, [found.text]);
  return html`<${Trouble} refused=${found.refused} />
    ${found.text === null && !found.refused && html`<p class="soft" role="status">The analysis is being prepared…</p>`}<div ref=${place}></div>`;
}

const STYLES = ["../page.css", "../report/page.css"].map((name) => new URL(name, import.meta.url).href);

// `text`: markup that the server has made, in which all that comes from bots is text; `save` gives a capsule as a file.
function fill(place, text, save) {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  root.innerHTML = STYLES.map((href) => `<link rel="stylesheet" href="${href}">`).join("") + text;
  for (const box of root.querySelectorAll(".box")) Object.assign(box, { tabIndex: 0, role: "region", ariaLabel: box.querySelector("caption")?.textContent ?? "" });
  for (const time of root.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  for (const button of root.querySelectorAll("[data-capsule]")) button.addEventListener("click", () => save(button.dataset.capsule));
}
