// What bots find on the machine on which a league is played, as their box shows it.

import { html } from "../html.js";
import { get } from "./ask.js";
import { Trouble, useAsked } from "./parts.js";

export function Machine({ root, token }) {
  const { value, refused } = useAsked(() => get(`${root}/machine`, token), [root, token]);
  if (!value) return refused ? html`<${Trouble} refused=${refused} />` : html`<p class="soft">One moment…</p>`;
  return html`<p class="soft">Interpreters and compilers, as a bot finds them:</p><ul>${value.programs.map((each) => html`<li key=${each}>${each}</li>`)}</ul>
    <p class="soft">Python's libraries:</p><p>${value.libraries.join(", ") || "none"}</p>
    ${value.folders.length > 0 && html`<p class="soft">Folders that it may read if its <code>bot.toml</code> asks for them:</p><p>${value.folders.map((each) => html`<code key=${each}>${each}</code> `)}</p>`}`;
}
