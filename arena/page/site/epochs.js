// The epochs of a league in one line: the seal of the one that is played, and the copy of the last that has ended.

import { html, useEffect, useState } from "../html.js";
import { get, Refused } from "./ask.js";
import { BASE } from "./base.js";
import { Trouble, useDoing } from "./parts.js";

const LOOK_MS = 60_000;

export function Epochs({ root, token }) {
  const [epochs, set] = useState([]), [run, busy, refused] = useDoing();
  useEffect(() => {
    const look = () => { if (!document.hidden) get(`${root}/epochs`, token).then(set, () => set([])); };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [root, token]);
  const [now, ...before] = epochs;
  if (now === undefined) return null;
  const last = before.find((epoch) => epoch.has_copy);
  return html`<p class="soft">Epoch ${now.number} is played under the seal <code>${now.seal}</code>.${last !== undefined && html` Epoch ${last.number} has ended: <button type="button" class="small" disabled=${busy} onClick=${() => run(() => save(`${root}/epochs/${last.number}`, token))}>Download it</button> and verify that it was played as it was sealed.`}</p>
    <${Trouble} refused=${refused} />`;
}

// Saves what is answered as a file; a link could not carry the token. Raises Refused.
async function save(path, token) {
  const answer = await fetch(BASE + path, { headers: token === null ? {} : { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = answer.headers.get("content-disposition").split('"')[1];
  link.click();
  URL.revokeObjectURL(link.href);
}
