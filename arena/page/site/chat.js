// What people say at a table.

import { html, useEffect, useRef, useState } from "../html.js";

const MESSAGE_MAX = 500;

export function Chat({ table, acts }) {
  const list = useRef(null);
  const [text, set] = useState("");
  const last = table.chat.at(-1)?.number ?? 0;
  useEffect(() => { list.current.scrollTop = list.current.scrollHeight; }, [last]);
  const say = async (event) => {
    event.preventDefault();
    if (text.trim() && (await acts.act("chat", { message: text.trim() }))) set("");
  };
  return html`<section class="card chat"><h2>Chat</h2>
    <div ref=${list} class="said" role="log" aria-label="Chat" tabindex="0">
      ${table.chat.length ? "" : html`<p class="soft">Nobody has said anything yet.</p>`}
      <ol>${table.chat.map((line) => html`<li key=${line.number}>
        ${line.nickname ? html`<b><bdi>${line.nickname}</bdi></b> ` : ""}<bdi class=${line.nickname ? "" : "soft"}>${line.message}</bdi>
        ${" "}<time class="soft">${clockTime(line.timestamp)}</time></li>`)}</ol>
    </div>
    ${table.you ? html`<form class="line" onSubmit=${say}>
      <label class="unseen" for="say">Message</label>
      <input id="say" value=${text} maxlength=${MESSAGE_MAX} autocomplete="off" placeholder="Message everyone at this table" onInput=${(event) => set(event.target.value)} />
      <button>Send</button></form>` : html`<p class="soft">Join or watch with a name to say something.</p>`}
  </section>`;
}

function clockTime(seconds) {
  return new Date(1000 * seconds).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
