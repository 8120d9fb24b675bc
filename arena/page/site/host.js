// What hosts see and do in a league: who takes part and has handed in, codes, settings, messages, and the log.

import { html, useState } from "../html.js";
import { saveFile } from "../player/takeaway.js";
import { ask, get } from "./ask.js";
import { counted, Trouble, Unfolded, useAsked, useDoing } from "./parts.js";

const PAGE = 100; // how many the server tells at once
const AGAIN = ["refused", "excluded"]; // states from which a version can be tried again
const SHOWN_MAX = 200; // lines of the log

export function Host({ here, root, token, me, league, forget }) {
  const mayDo = !me.is_assistant;
  const doing = useActs(root, token);
  return html`<section class="card host" aria-labelledby="host"><div class="head"><h2 id="host">For hosts</h2>
      <span class="soft">${me.is_assistant ? "assistant" : "host"} <bdi>${me.host}</bdi></span><button type="button" class="quiet leave" onClick=${forget}>Forget me in this browser</button></div>
    ${mayDo && league && html`<p class="line"><button type="button" disabled=${doing.busy} onClick=${() => doing.act("POST", league.is_paused ? "/resume" : "/pause", {})}>${league.is_paused ? "Go on with the league" : "Pause the league"}</button></p>
      ${doing.said}<${Message} ...${{ root, token }} />`}
    <${People} ...${{ root, token, mayDo, version: me.version, here }} />
    ${mayDo && html`<${Unfolded} title="Codes and roster"><${Codes} ...${{ root, token }} /><//>
      ${league && html`<${Unfolded} title="Settings"><${Settings} ...${{ root, token, league }} /><//>`}`}
    <${Unfolded} title="Equal hand-ins"><${Alike} ...${{ here, root, token, version: me.version }} /><//>
    <${Unfolded} title="Log"><${Log} ...${{ root, token, version: me.version }} /><//></section>`;
}

// Acts of a part of the page, one at a time, with what came of the last one: { act, busy, said }.
function useActs(root, token) {
  const [run, busy, refused] = useDoing();
  const [words, say] = useState("");
  const act = (method, path, body, done = () => "Done.") => run(async () => {
    say("");
    const answer = await ask(method, root + path, { body, key: token });
    say(done(answer));
    return true;
  });
  return { act, busy, said: html`<${Trouble} refused=${refused} /><div role="status">${words && html`<p class="soft">${words}</p>`}</div>` };
}

// All that the server lists at an address, page by page.
async function all(path, token) {
  const found = [];
  for (;;) {
    const page = await get(`${path}?first=${found.length}`, token);
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}

function Message({ root, token }) {
  const { act, busy, said } = useActs(root, token);
  const [text, set] = useState("");
  const say = async (event) => {
    event.preventDefault();
    if (await act("POST", "/messages", { message: text.trim() }, () => "Everybody in the league can read it.")) set("");
  };
  return html`<form class="line" onSubmit=${say}><label class="unseen" for="message">A message to everybody</label>
      <input id="message" value=${text} maxlength="500" required placeholder="A message to everybody" autocomplete="off" onInput=${(event) => set(event.target.value)} />
      <button disabled=${busy}>Say it</button></form>${said}`;
}

function People({ root, token, mayDo, version, here }) {
  const owners = useAsked(() => all(`${root}/owners`, token), [root, token, version]);
  const bots = useAsked(() => all(`${root}/bots`, token), [root, token, version]);
  if (!owners.value || !bots.value) return html`<${Trouble} refused=${owners.refused ?? bots.refused} />`;
  const of = (owner) => bots.value.filter((bot) => bot.owner === owner.id);
  const without = owners.value.filter((owner) => !owner.bots.length).length;
  return html`<h3>${counted(owners.value.length, "owner")}${without ? `, ${without.toLocaleString("en")} without a bot` : ""}</h3>
    <ul class="rows people">${owners.value.map((owner) => html`<li key=${owner.id}><${Unfolded} title=${html`<bdi>${owner.name}</bdi> <small class="soft">${owner.id}</small> ${owner.is_banned ? html`<span class="tag">banned</span>` : ""} <span class="soft">${of(owner).map(standing).join(", ") || "nothing handed in"}</span>`}>
      <${OwnerPart} ...${{ root, token, id: owner.id, version, mayDo }} />
      ${of(owner).map((bot) => html`<${BotPart} key=${bot.id} ...${{ root, token, bot, mayDo, here }} />`)}<//></li>`)}</ul>`;
}

function standing(bot) {
  const { number, state } = bot.versions.at(-1);
  return `${bot.id}: ${bot.playing === null || bot.playing === number ? "" : `version ${bot.playing} playing, `}version ${number} ${state}`;
}

function OwnerPart({ root, token, id, version, mayDo }) {
  const { act, busy, said } = useActs(root, token);
  const { value: owner, refused } = useAsked(() => get(`${root}/owners/${id}`, token), [root, token, id, version]);
  const [asks, ask_] = useState(false);
  if (!owner) return html`<${Trouble} refused=${refused} />`;
  const people = owner.people.map(({ name, id: roster }) => [name, roster].filter(Boolean).join(", ")).filter(Boolean);
  const button = (words, ...what) => html`<button type="button" class="small" disabled=${busy} onClick=${() => act(...what)}>${words}</button>`;
  return html`<p><bdi>${owner.own_name}</bdi>${owner.team ? html`, team <bdi>${owner.team}</bdi>` : ""}, ${counted(owner.people.length, "person", "people")}${people.length ? html`: <bdi>${people.join("; ")}</bdi>` : ""}${owner.ban ? html`. Banned: <bdi>${owner.ban}</bdi>` : ""}</p>
    ${mayDo && html`<p class="line">${owner.is_name_shown ? button("Hide the name", "POST", `/names/${id}`, { shown: false }) : button("Show the name", "POST", `/names/${id}`, { shown: true })}
        ${button("A code for one more person", "POST", `/owners/${id}/code`, {}, ({ code }) => `The code, told this once: ${code}`)}
        ${button("End its tokens", "DELETE", `/owners/${id}/tokens`)}
        ${owner.ban ? button("Lift the ban", "DELETE", `/owners/${id}/ban`) : ""}
        ${asks ? html`${button("Forget it for good", "DELETE", `/owners/${id}`)}<button type="button" class="small" onClick=${() => ask_(false)}>Keep it</button>` : html`<button type="button" class="small" onClick=${() => ask_(true)}>Forget</button>`}</p>
      <${Worded} label="Another name" act="Rename" busy=${busy} max="24" does=${(name) => act("POST", `/owners/${id}/name`, { name })} />
      ${owner.ban ? "" : html`<${Worded} label="Why; everybody in the league can read it" act="Ban" busy=${busy} does=${(reason) => act("POST", `/owners/${id}/ban`, { reason })} />`}`}${said}`;
}

function BotPart({ root, token, bot, mayDo, here }) {
  const { act, busy, said } = useActs(root, token);
  const path = `/bots/${bot.id}`;
  const button = (words, where, body) => html`<button type="button" class="small" disabled=${busy} onClick=${() => act("POST", where, body)}>${words}</button>`;
  return html`<h4><a href=${`${here}/bots/${bot.id}`}><bdi>${bot.name}</bdi></a> <small class="soft">${bot.id}</small></h4>${bot.excluded ? html`<p>Excluded: <bdi>${bot.excluded}</bdi></p>` : ""}
    <ul class="rows">${[...bot.versions].reverse().map(({ number, state, reason }) => html`<li key=${number}><p class="line"><span>Version ${number}: ${state}</span>
      ${AGAIN.includes(state) && !bot.excluded ? button(`Try version ${number} again`, `${path}/retry`, { version: number }) : ""}</p>${reason ? html`<pre class="said reason" tabindex="0">${reason}</pre>` : ""}</li>`)}</ul>
    ${mayDo && html`<p class="line">${button("Hide the name", `/names/${bot.id}`, { shown: false })}${button("Show the name", `/names/${bot.id}`, { shown: true })}
        ${bot.excluded ? button("Take it in again", `${path}/readmit`, {}) : ""}</p>
      ${bot.excluded ? "" : html`<${Worded} label="Why; everybody in the league can read it" act="Exclude" busy=${busy} does=${(reason) => act("POST", `${path}/exclude`, { reason })} />`}`}${said}`;
}

// One act that is said in words.
function Worded({ label, act, busy, does, max = 200 }) {
  const [text, set] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    if (await does(text.trim())) set("");
  };
  return html`<form class="line" onSubmit=${submit}><input value=${text} required maxlength=${max} aria-label=${label} placeholder=${label} autocomplete="off" onInput=${(event) => set(event.target.value)} />
    <button class="small" disabled=${busy}>${act}</button></form>`;
}

function Codes({ root, token }) {
  const { act, busy, said } = useActs(root, token);
  const csv = (text, name) => { saveFile(new Blob([text], { type: "text/csv" }), name); return `${name} is saved.`; };
  const read = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) act("POST", "/roster", { roster: await file.text() }, (made) => `${counted(made.codes.length, "personal code")}, told this once: ${csv(made.csv, "codes.csv")}`);
  };
  return html`<p class="line"><button type="button" disabled=${busy} onClick=${() => act("POST", "/codes", {}, ({ code }) => `The code for all, told this once: ${code}`)}>Make a new code for all</button>
      <button type="button" disabled=${busy} onClick=${() => act("DELETE", "/codes")}>End the code for all</button></p>
    <p class="line"><label class="button">Codes for a roster<input type="file" class="unseen" accept=".csv,text/csv,text/plain" disabled=${busy} onChange=${read} /></label>
      <button type="button" disabled=${busy} onClick=${() => act("GET", "/roster", undefined, (roster) => csv(roster.csv, "roster.csv"))}>Save who has joined</button></p>
    <p class="soft">A roster is CSV with the columns name, and perhaps team and id: each person gets a code that works once.</p>${said}`;
}

// The settings that the server has, as its OpenAPI document tells what each may be.
function Settings({ root, token, league }) {
  const { act, busy, said } = useActs(root, token);
  const { value: all_, refused } = useAsked(() => get("/openapi.json").then(({ components }) => components.schemas.ChangedSettings.properties), []);
  if (!all_) return html`<${Trouble} refused=${refused} />`;
  const kinds = Object.entries(all_).filter(([name]) => name in league);
  const change = (event) => {
    event.preventDefault();
    const form = event.target.elements;
    const now = kinds.map(([name, { type }]) => [name, type === "boolean" ? form[name].checked : ["integer", "number"].includes(type) ? Number(form[name].value) : form[name].value]);
    act("POST", "/settings", Object.fromEntries(now.filter(([name, value]) => value !== league[name])), () => "Saved.");
  };
  return html`<form class="settings" onSubmit=${change}>${kinds.map(([name, kind]) => html`<${Setting} key=${name} ...${{ name, kind, value: league[name] }} />`)}
    <p><button disabled=${busy}>Save the settings</button></p></form>${said}`;
}

function Setting({ name, kind, value }) {
  const words = name.replaceAll("_", " ").replace(/ mb$/, ", in MB").replace(/ s$/, ", in seconds");
  if (kind.type === "boolean") return html`<label class="check"><input type="checkbox" name=${name} defaultChecked=${value} /> ${words}</label>`;
  return html`<label class="field"><span>${words}</span>${kind.enum ? html`<select name=${name}>${kind.enum.map((each) => html`<option key=${each} selected=${each === value}>${each}</option>`)}</select>`
    : html`<input name=${name} required=${kind.type !== "string"} defaultValue=${value} ...${kind.type === "string" ? {} : { type: "number", min: kind.minimum, max: kind.maximum, step: kind.type === "integer" ? 1 : "any" }} />`}</label>`;
}

function Log({ root, token, version }) {
  const { value, refused } = useAsked(async () => {
    const lines = [];
    for (let after = 0; ; after = lines.at(-1).number) {
      const page = await get(`${root}/log?after=${after}`, token);
      lines.push(...page);
      if (page.length < PAGE) return lines.reverse().slice(0, SHOWN_MAX);
    }
  }, [root, token, version]);
  if (!value) return html`<${Trouble} refused=${refused} />`;
  return html`<ol class="rows lines" reversed>${value.map(({ number, at, who, text }) => html`<li key=${number} value=${number}><time class="soft">${new Date(1000 * at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}</time> <bdi>${who}</bdi> <bdi>${text}</bdi></li>`)}</ol>`;
}

function Alike({ here, root, token, version }) {
  const { value, refused } = useAsked(() => get(`${root}/alike`, token), [root, token, version]);
  if (!value) return html`<${Trouble} refused=${refused} />`;
  const bot = (id) => html`<a href=${`${here}/bots/${id.split("@")[0]}`}>${id}</a>`;
  return html`<p class="soft">${value.length ? "Files that more than four owners have are left out. Nobody else is told." : "No two owners have handed in equal files."}</p>
    <ul>${value.map(({ owners, names, versions, is_whole: isWhole, files, paths }) => html`<li key=${owners.join()}><bdi>${names[0]}</bdi> ${bot(versions[0])} and <bdi>${names[1]}</bdi> ${bot(versions[1])}: ${isWhole ? "all files are equal" : html`${counted(files, "equal file")}, such as <code>${paths[0]}</code>`}</li>`)}</ul>`;
}
