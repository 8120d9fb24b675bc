// The site of `arena serve`: which page is shown, and what is around all of them.

import { html, render, useEffect, useState } from "../html.js";
import { hasFourColours, isDark, switchSuits, switchTheme } from "./kept.js";
import { Heading } from "./parts.js";
import { useRoute, useTitle } from "./routes.js";

// Each page is fetched when it is first shown.
const PAGES = {
  home: () => import("./home.js"),
  table: () => import("./table.js"),
  match: () => import("./match.js"),
  leagueMatch: () => import("./match.js").then((module) => ({ Page: module.LeagueMatch })),
  leagueMatches: () => import("./matches.js").then((module) => ({ Page: module.LeagueMatches })),
  leagueBot: () => import("./league_bot.js"),
  leagues: () => import("./leagues.js"),
  league: () => import("./league.js"),
  results: () => import("./results.js"),
  matches: () => import("./matches.js"),
  mine: () => import("./mine.js"),
};

function Looks() {
  const [, redraw] = useState(0);
  const after = (change) => () => { change(); redraw((count) => count + 1); };
  return html`<div class="looks">
    <button type="button" class="quiet" aria-pressed=${String(hasFourColours())} onClick=${after(switchSuits)}
      title="A colour of its own for each suit of cards"><span class="wide">Four-colour</span> suits</button>
    <button type="button" class="quiet" onClick=${after(switchTheme)} aria-label="Switch between light and dark">
      ${isDark() ? "Light" : "Dark"}</button>
  </div>`;
}

function Nowhere({ takesFocus }) {
  useTitle("Not found");
  return html`<${Heading} takesFocus=${takesFocus}>There is no such page<//>
    <p><a href="/">To the games and tables</a></p>`;
}

function Failed({ takesFocus }) {
  useTitle("Not loaded");
  return html`<${Heading} takesFocus=${takesFocus}>This page could not be loaded<//>
    <p>The server may be gone for a moment.</p>
    <p><button type="button" onClick=${() => location.reload()}>Try again</button></p>`;
}

function Site() {
  const route = useRoute();
  const [pages, set] = useState({ "": Nowhere });
  const name = route.page ?? "";
  useEffect(() => {
    if (pages[name]) return;
    const keep = (page) => set((old) => ({ ...old, [name]: page }));
    PAGES[name]().then((module) => keep(module.Page), () => keep(Failed));
  }, [name]);
  const Page = pages[name];
  return html`<a class="skip" href="#main">Skip to the page</a>
    <header class="masthead">
      <a class="brand" href="/">Arena</a>
      <nav aria-label="Site">
        <a href="/" aria-current=${name === "home" ? "page" : undefined}>Play</a>
        <a class="wide" href="/matches" aria-current=${name === "mine" ? "page" : undefined}>My matches</a>
        <a href="/leagues" aria-current=${name === "leagues" ? "page" : name.startsWith("league") ? "true" : undefined}>Leagues</a>
        <a href="/results" aria-current=${name === "results" ? "page" : route.page === "matches" || (route.folder && !name.startsWith("league")) ? "true" : undefined}>Results</a>
      </nav>
      <${Looks} />
    </header>
    <main id="main" class=${name || "nowhere"}>
      ${Page ? html`<${Page} key=${`${name} ${route.folder} ${route.id}`} id=${route.id} folder=${route.folder} takesFocus=${route.count > 0} />` : ""}
    </main>`;
}

render(html`<${Site} />`, document.getElementById("site"));
