// The sheet of symbols that boards draw with, put into the document once.

import { BASE } from "./base.js";

let fetched = null;

// Resolves once the sheet is there; without it boards still have their words.
export function symbols() {
  fetched ??= fetch(`${BASE}/static/page/symbols.svg`).then((answer) => answer.text()).then((text) => {
    const sheet = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    document.body.prepend(document.adoptNode(sheet));
  }).catch(() => { fetched = null; });
  return fetched;
}
