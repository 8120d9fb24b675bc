// What the browser keeps: the keys of seats for this tab, the nickname and the looks for all of them.

function read(storage, name) {
  try {
    return storage().getItem(name);
  } catch {
    return null; // a browser may refuse to keep anything
  }
}

function write(storage, name, value) {
  try {
    if (value === null) storage().removeItem(name);
    else storage().setItem(name, value);
  } catch {
    // then it is forgotten with the page
  }
}

const TAB = () => sessionStorage;
const BROWSER = () => localStorage;
const forgotten = new Map(); // where nothing can be kept, seats last as long as the page

// Who this tab is at a table: { key, playerID }, or null.
export function seatAt(table) {
  const kept = read(TAB, `arena-seat-${table}`) ?? forgotten.get(table);
  try {
    return kept ? JSON.parse(kept) : null;
  } catch {
    return null;
  }
}

export function keepSeat(table, seat) {
  const said = seat && JSON.stringify({ key: seat.key, playerID: seat.playerID });
  if (said) forgotten.set(table, said);
  else forgotten.delete(table);
  write(TAB, `arena-seat-${table}`, said);
}

export const NICKNAME_MAX = 24;

export function nickname() {
  return read(BROWSER, "arena-nickname") || "Guest";
}

export function keepNickname(name) {
  write(BROWSER, "arena-nickname", name.trim() || null);
}

// Who we are in a league, as its token, or null.
export function leagueToken(league) {
  return read(BROWSER, `arena-league-${league}`) ?? forgotten.get(`league ${league}`) ?? null;
}

export function keepLeagueToken(league, token) {
  if (token) forgotten.set(`league ${league}`, token);
  else forgotten.delete(`league ${league}`);
  write(BROWSER, `arena-league-${league}`, token);
}

const MATCHES = "arena-matches";
export const MATCHES_MAX = 200; // about 40 KB

// The matches that were played at tables in this browser, the newest first: { id, game, title, names, you, ranks, at }.
// `ranks`: by name, null until its end was seen; `at`: when it began, as milliseconds.
export function keptMatches() {
  try {
    const kept = JSON.parse(read(BROWSER, MATCHES) ?? forgotten.get(MATCHES) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.id === "string" && Array.isArray(each.names)) : [];
  } catch {
    return [];
  }
}

function writeMatches(matches) {
  const said = JSON.stringify(matches.slice(0, MATCHES_MAX));
  forgotten.set(MATCHES, said);
  write(BROWSER, MATCHES, matches.length ? said : null);
}

export function keepMatch(match) {
  const kept = keptMatches(), known = kept.find(({ id }) => id === match.id);
  if (known) writeMatches(kept.map((each) => (each === known ? { ...each, ranks: match.ranks ?? each.ranks } : each)));
  else writeMatches([{ ...match, at: Date.now() }, ...kept]);
}

export const forgetMatches = (gone) => writeMatches(keptMatches().filter(({ id }) => !gone.includes(id)));

const root = () => document.documentElement;

export function isDark() {
  const chosen = root().dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function switchTheme() {
  root().dataset.theme = isDark() ? "light" : "dark";
  write(BROWSER, "arena-theme", root().dataset.theme);
}

export function hasFourColours() {
  return root().dataset.suits === "four";
}

export function switchSuits() {
  if (hasFourColours()) delete root().dataset.suits;
  else root().dataset.suits = "four";
  write(BROWSER, "arena-suits", hasFourColours() ? "four" : null);
}
