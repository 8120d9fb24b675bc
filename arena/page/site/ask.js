// Requests to the server that this page came from; what it refuses is told in its own sentence.

import { BASE } from "./base.js";

// Why something was not done; `message` is the server's sentence, `status` 0 if it could not be reached.
export class Refused extends Error {
  constructor(status, said) {
    super(said.message);
    this.status = status;
    this.field = said.field ?? null;
    this.kind = said.error ?? "";
  }
}

const ASK_MS = 20_000;
export const REACHED = "arena-reached"; // an event of the window: the server has answered

// The answer to a request, read from JSON. Raises Refused.
export const ask = (method, path, more) => answered(method, path, more, (answer) => answer.json());

// A file that only the holder of a key is given, as a blob. Raises Refused.
export const file = (path, key) => answered("GET", path, { key }, (answer) => answer.blob());

async function answered(method, path, { body, key } = {}, read) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers.Authorization = `Bearer ${key}`;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), ASK_MS);
  try {
    const answer = await fetch(BASE + path, { method, headers, signal: stop.signal, body: body === undefined ? undefined : JSON.stringify(body) });
    const said = await (answer.ok ? read(answer) : answer.json());
    dispatchEvent(new Event(REACHED));
    if (answer.ok) return said;
    throw new Refused(answer.status, { ...said, message: said.message || `the server answered ${answer.status}` });
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(0, { message: "The server cannot be reached. Try again in a moment." });
  } finally {
    clearTimeout(timer);
  }
}

export const get = (path, key) => ask("GET", path, { key });
export const post = (path, body, key) => ask("POST", path, { body: body ?? {}, key });
export const at = (table, rest = "") => `/api/tables/${encodeURIComponent(table)}${rest}`;

let games = null;

// The games of the house, asked for once.
export function allGames() {
  games ??= get("/api/games").catch((error) => {
    games = null;
    throw error;
  });
  return games;
}

export async function gameNamed(name) {
  return (await allGames()).find((game) => game.name === name) ?? null;
}

// A sentence as people read it: with a capital and a full stop.
export function sentence(text) {
  const said = String(text).trim();
  return said && said[0].toUpperCase() + said.slice(1) + (/[.!?:]$/.test(said) ? "" : ".");
}
