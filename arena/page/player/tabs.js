// Several things that take turns in one place.

import { html, useRef, useState } from "../html.js";

// `tabs`: [{ id, title, body, news }]; `news` is how much is new there, which is shown until somebody looks.
export function Tabs({ tabs }) {
  const [chosen, choose] = useState(tabs[0].id);
  const list = useRef(null);
  const seen = useRef({});
  const at = Math.max(0, tabs.findIndex(({ id }) => id === chosen));
  seen.current[tabs[at].id] = tabs[at].news;
  const hear = (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    choose(tabs[next].id);
    list.current.children[next].focus();
  };
  return html`<div class="tabbed">
    <div class="tabs" role="tablist" aria-label="About the match" ref=${list} onKeyDown=${hear}>
      ${tabs.map(({ id, title, news }, each) => html`<button key=${id} type="button" role="tab" id=${`tab-${id}`} aria-selected=${String(each === at)}
        aria-controls="tab-panel" tabindex=${each === at ? 0 : -1} onClick=${() => choose(id)}>${title}${news && news !== (seen.current[id] ?? 0) && each !== at ? html` <b class="news" aria-label="new">•</b>` : ""}</button>`)}
    </div>
    <div class="panel" role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${tabs[at].id}`}>${tabs[at].body}</div>
  </div>`;
}
