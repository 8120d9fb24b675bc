// The form for a table of one's own: the game, its house rules, the clock, the bots.

import { html, useEffect, useRef, useState } from "../html.js";
import { get } from "./ask.js";
import { makeTable, usual } from "./opening.js";
import { range, Trouble, useAsked, useDoing } from "./parts.js";
import { go } from "./routes.js";

const TIMES = [["", "usual for the game"], ["5", "5 s"], ["10", "10 s"], ["30", "30 s"], ["60", "1 min"], ["300", "5 min"], ["86400", "a day"], ["none", "no limit"]];
const PAUSES = [["0", "as long as the bot thinks"], ["0.5", "half a second"], ["1", "a second"], ["2", "2 seconds"], ["5", "5 seconds"], ["10", "10 seconds"]];

export function MakeTable({ games }) {
  const [name, choose] = useState(games[0].name);
  const game = games.find((each) => each.name === name);
  const [bots, setBots] = useState([]);
  const [time, setTime] = useState("");
  const [rules, setRules] = useState({});
  const [isPublic, setPublic] = useState(false);
  const [watches, setWatches] = useState(false);
  const [pause, setPause] = useState("1");
  const [run, busy, refused] = useDoing();
  const first = useRef(null);
  useEffect(() => first.current.focus(), []);
  const change = (event) => {
    choose(event.target.value);
    setBots([]);
    setRules({});
  };
  const make = (event) => {
    event.preventDefault();
    const moveTime = time === "" ? null : time === "none" ? "none" : Number(time);
    run(async () => go(`/tables/${await makeTable({ game: name, rules, moveTime, bots, watches, botsPause: watches ? Number(pause) : 0, isPublic, begins: false })}`));
  };
  return html`<form class="make" onSubmit=${make}>
    <label class="field"><span>Game</span><select ref=${first} value=${name} onChange=${change}>
      ${games.map((each) => html`<option key=${each.name} value=${each.name}>${each.title}, ${range(each.seats)} players</option>`)}</select></label>
    <label class="field"><span>Time for a move</span><select value=${time} onChange=${(event) => setTime(event.target.value)}>
      ${TIMES.map(([value, said]) => html`<option key=${value} value=${value}>${said}${value === "" ? ` (${game.move_time_s} s, none against bots alone)` : ""}</option>`)}</select></label>
    <${Bots} ...${{ game, bots, most: game.seats.most - (watches ? 0 : 1) }} change=${setBots} />
    <label class="check"><input type="checkbox" checked=${watches} onChange=${() => { setWatches(!watches); setBots(bots.slice(0, game.seats.most - 1)); }} /> I only watch the bots</label>
    ${watches ? html`<label class="field"><span>Each turn takes at least</span><select value=${pause} onChange=${(event) => setPause(event.target.value)}>
      ${PAUSES.map(([value, said]) => html`<option key=${value} value=${value}>${said}</option>`)}</select></label>` : ""}
    <${HouseRules} key=${name} game=${name} rules=${rules} change=${setRules} />
    <label class="check"><input type="checkbox" checked=${isPublic} onChange=${(event) => setPublic(event.target.checked)} /> show it in the public list</label>
    <p><button class="primary" disabled=${busy}>Create the table</button></p>
    <${Trouble} refused=${refused} />
  </form>`;
}

// Where the house bots of a new table are chosen; `most`: how many there can be.
function Bots({ game, bots, most, change }) {
  const choices = game.bots ?? [];
  const isFull = bots.length >= most;
  return html`<fieldset><legend>House bots</legend>
    ${bots.map((bot, place) => html`<p class="line" key=${place}>
      <select aria-label=${`Bot ${place + 1}`} value=${bot} onChange=${(event) => change(bots.with(place, event.target.value))}>
        ${choices.map((each) => html`<option key=${each}>${each}</option>`)}</select>
      <button type="button" class="quiet" aria-label=${`Remove bot ${place + 1}`} onClick=${() => change(bots.toSpliced(place, 1))}>Remove</button></p>`)}
    <p><button type="button" disabled=${isFull || !choices.length} onClick=${() => change([...bots, usual(choices)])}>Add a bot</button>
      ${bots.length ? "" : html` <span class="soft">or share the link with people</span>`}</p></fieldset>`;
}

function HouseRules({ game, rules, change }) {
  const { value: shown, refused } = useAsked(() => get(`/api/games/${encodeURIComponent(game)}`), [game]);
  const names = Object.keys(shown?.rules ?? {});
  if (!refused && shown && !names.length) return html`<p class="soft">This game has no house rules to choose.</p>`;
  const set = (name, value) => {
    const chosen = { ...rules, [name]: value };
    if (value === shown.rules[name]) delete chosen[name];
    change(chosen);
  };
  return html`<details><summary>House rules</summary>
    <${Trouble} refused=${refused} />
    ${names.map((name) => html`<${Rule} key=${name} name=${name} usual=${shown.rules[name]} accepts=${shown.accepts[name] ?? ""}
      value=${rules[name] ?? shown.rules[name]} set=${(value) => set(name, value)} />`)}</details>`;
}

// One house rule, asked for as what it may be: a switch, one of some words, or a number.
function Rule({ name, usual: standard, accepts, value, set }) {
  const said = name.replaceAll("_", " ");
  if (typeof standard === "boolean") {
    return html`<label class="check"><input type="checkbox" checked=${value} onChange=${(event) => set(event.target.checked)} /> ${said}</label>`;
  }
  const words = [...accepts.matchAll(/"([^"]*)"/g)].map((found) => found[1]);
  if (words.length) {
    return html`<label class="field"><span>${said}</span><select value=${value} onChange=${(event) => set(event.target.value)}>
      ${words.map((word) => html`<option key=${word} value=${word}>${word.replaceAll("_", " ")}</option>`)}</select></label>`;
  }
  if (typeof standard !== "number") return null; // a list: the usual one stands
  const [, least, most] = /(-?\d+) to (\d+)/.exec(accepts) ?? [];
  const change = (event) => event.target.value !== "" && set(Number(event.target.value));
  return html`<label class="field"><span>${said} <small class="soft">${least ? `${least} to ${most}` : ""}</small></span>
    <input type="number" value=${value} min=${least} max=${most} required onInput=${change} /></label>`;
}
