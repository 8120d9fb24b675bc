// Connecting a bot instead of handing it in: the address, how it is told who it is, and what became of the connection.

import { html, useRef, useState } from "../html.js";
import { post } from "./ask.js";
import { addressOf, BASE } from "./base.js";
import { Trouble, useDoing } from "./parts.js";

export function Connect({ root, name, token, bots }) {
  const [run, busy, refused] = useDoing();
  const [said, show] = useState(null);
  const bot = useRef(null);
  const port = document.querySelector('meta[name="bots-port"]')?.content;
  const socket = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${BASE}/ws/bots`;
  const another = () => run(async () => show((await post(`${root}/connecting`, { bot: bot.current?.value ?? "" }, token)).said));
  return html`<details class="connects"><summary>Or let it run where you are, and connect</summary>
    <p>Write one with <code>arena new mybot</code> (<code>arena new --list</code> has the languages), and bring it here:</p>
    <pre class="reason">ARENA_TOKEN=${token} arena join ${addressOf(`/leagues/${name}`)} --bot ./mybot</pre>
    <p>Any other program connects to <code>${socket}</code>${port ? html`, or over TCP to <code>${location.hostname}:${port}</code>` : ""}, and begins with a line of JSON:</p>
    <pre class="reason">{"type":"hello","protocol":1,"name":"mybot","token":"${token}"}</pre>
    <p class="soft">It has 250 ms more for each move. While it is away it is not paired, but the series that it had begun are played to their end. Nobody here can see that your program has changed: say when it is another version.</p>
    ${bots.length > 1 && html`<label class="field"><span>Of which bot</span><select ref=${bot}>${bots.map((each) => html`<option key=${each.id} value=${each.id}>${each.name}</option>`)}</select></label>`}
    <p><button type="button" disabled=${busy} onClick=${another}>Name a new version that connects</button></p>
    <${Trouble} refused=${refused} /><p role="status">${said && `${said}.`}</p></details>`;
}

// What is ticked off of a bot that connects.
export function Connection({ connection: { is_connected: isHere, has_answered: hasAnswered, round_trip_ms: trip }, name }) {
  return html`<ul class="arrival">
    <${Tick} done=${isHere}>${isHere ? "connected" : "not connected"}${trip === null ? "" : html` <span class="soft">${trip} ms there and back</span>`}<//>
    <${Tick} done=${isHere}>${isHere ? html`named <bdi>${name}</bdi>` : "not named"}<//>
    <${Tick} done=${hasAnswered}>${hasAnswered ? "answered" : "no answer yet"}<//></ul>`;
}

const Tick = ({ done, children }) => html`<li class=${done ? "done" : ""}><span aria-hidden="true">${done ? "✓" : "–"}</span> ${children}</li>`;
