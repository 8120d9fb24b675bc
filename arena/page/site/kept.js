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
