// Which page an address means; the addresses are those of the server, so that every link can be shared.

import { useEffect, useState } from "../html.js";
import { BASE, ownPath } from "./base.js";

const PAGES = [
  [/^\/$/, "home"],
  [/^\/tables\/([^/]+)$/, "table"],
  [/^\/matches$/, "mine"],
  [/^\/matches\/([^/]+)$/, "match"],
  [/^\/leagues$/, "leagues"],
  [/^\/leagues\/([^/]+)$/, "league"],
  [/^\/leagues\/([^/]+)\/matches$/, "leagueMatches"],
  [/^\/leagues\/([^/]+)\/matches\/([^/]+)$/, "leagueMatch"],
  [/^\/leagues\/([^/]+)\/bots\/([^/]+)$/, "leagueBot"],
  [/^\/results$/, "results"],
  [/^\/results\/([^/]+)\/matches$/, "matches"],
  [/^\/results\/([^/]+)\/matches\/([^/]+)$/, "match"],
];

// { page, id, folder } of a path; page null where the server has something of its own, or nothing.  `folder`: the
// results folder that a match is of.
export function routeOf(path) {
  const plain = path.length > 1 ? path.replace(/\/+$/, "") : path;
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(plain);
    if (!found) continue;
    const [last, before] = found.slice(1).reverse();
    return { page, id: last === undefined ? null : decoded(last), folder: before === undefined ? null : decoded(before) };
  }
  return { page: null, id: null, folder: null };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // the server will say that there is no such thing
  }
}

const CHANGED = "arena-route";

export function go(path) {
  history.pushState(null, "", BASE + path);
  dispatchEvent(new Event(CHANGED));
  scrollTo(0, 0);
}

// The route of the page, as long as it is open; `count` tells how often it has changed.
export function useRoute() {
  const [route, set] = useState({ ...routeOf(ownPath(location.pathname)), count: 0 });
  useEffect(() => {
    const change = () => set((old) => {
      const found = routeOf(ownPath(location.pathname));
      return found.page === old.page && found.id === old.id && found.folder === old.folder ? old : { ...found, count: old.count + 1 };
    });
    const follow = (event) => {
      const link = event.target.closest?.("a[href]");
      if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      if (link.origin !== location.origin || link.target || link.hasAttribute("download") || link.hash) return;
      const path = ownPath(link.pathname);
      if (!routeOf(path).page) return;
      event.preventDefault();
      go(path + link.search);
    };
    addEventListener("popstate", change);
    addEventListener(CHANGED, change);
    document.addEventListener("click", follow);
    return () => {
      removeEventListener("popstate", change);
      removeEventListener(CHANGED, change);
      document.removeEventListener("click", follow);
    };
  }, []);
  return route;
}

// The end of an address of a match, which leads to a step, counted from 0.
export const momentOf = (step, viewer) => `#step=${step + 1}${viewer === "all" ? "" : `&seat=${viewer}`}`;

// Marks the icon of the page while it waits for whoever looks at it.
export function useCall(isCalled) {
  useEffect(() => {
    const icon = document.querySelector("link[rel=icon]");
    icon.href = `${BASE}/static/page/icon${isCalled ? "-turn" : ""}.svg`;
    return () => { icon.href = `${BASE}/static/page/icon.svg`; };
  }, [isCalled]);
}

export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Arena` : "Arena";
  }, [title]);
}
