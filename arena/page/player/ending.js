// Why a match ended as it did, the step that decided it, and how to show a moment to somebody else.

import { html, useRef, useState } from "../html.js";
import { isolated } from "../drawings/names.js";
import { pictureOf } from "./picture.js";
import { copyText, saveFile } from "./takeaway.js";

// The index of the step that decided the match; −1: it is not in the film, or nothing did.
export const decidedAt = (film) => (film.decided ? film.steps.findIndex(({ turn }) => turn === film.decided.turn) : -1);

// `link(step, viewer)`: the address at which a step, counted from 0 in the film, is shown and played on from.
export function Ending({ film, place, viewer, go, link, board, said }) {
  const at = decidedAt(film), outside = at < 0 && film.decided && film.first > 0;
  return html`<div class="ending" data-part="ending">
    ${film.decided && html`<p data-part="decided"><b>Why:</b> ${isolated(`${film.decided.said}.`, film.names)}</p>`}
    ${at >= 0 && html`<button type="button" data-part="decisive" aria-disabled=${at === place} onClick=${() => go(at)}>${at === place ? "This is the moment" : "Show the moment"}</button>`}
    ${outside && link && html`<a data-part="decisive" href=${link(film.decided.turn + 1 - film.first, "all")}>Show the moment</a>`}
    ${link && html`<${Sharing} ...${{ film, place, link: () => link(place, viewer), board, said }} />`}
  </div>`;
}

// A link to the step that is shown, and a picture of its board.
function Sharing({ film, place, link, board, said }) {
  const [told, tell] = useState(null);
  const field = useRef(null);
  const copy = async () => {
    const address = link();
    if (await copyText(address)) return tell({ place, text: "The link is copied." });
    tell({ place, address, text: "Copy this link:" });
    setTimeout(() => field.current?.select());
  };
  const save = async () => {
    tell({ place, text: "One moment…" });
    try {
      saveFile(await pictureOf(board.current, `${film.title}: ${film.names.join(", ")}`, said()), `${film.game}-${film.match}-${(film.first ?? 0) + place + 1}.png`);
      tell({ place, text: "The picture is saved." });
    } catch {
      tell({ place, text: "This browser cannot draw the picture." });
    }
  };
  const now = told?.place === place ? told : null;
  return html`<button type="button" data-part="share" onClick=${copy}>Share this moment</button>
    <button type="button" data-part="picture" onClick=${save}>Save its picture</button>
    <span role="status" data-part="shared">${now?.text ?? ""}</span>
    ${now?.address && html`<input ref=${field} readonly data-part="address" aria-label="The link of this moment" value=${now.address} />`}`;
}
