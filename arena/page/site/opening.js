// A new table, and who sits there from the beginning.

import { at, get, post } from "./ask.js";
import { keepSeat, nickname } from "./kept.js";

// A new table with this tab's player and these house bots; gives its id.  `botsPause`: how many seconds each turn takes at
// least where only bots play; `watches`: without a seat; `from`: where in a finished match it begins.
export async function makeTable({ game, rules = {}, moveTime = null, botsPause = 0, bots, watches = false, begins, isPublic = false, from = null }) {
  const { id } = await post("/api/tables", { game, rules, move_time: moveTime, bots_pause: botsPause });
  const seat = await post(at(id, "/players"), { nickname: nickname(), spectate: watches });
  keepSeat(id, seat);
  for (const bot of bots) await post(at(id, "/bots"), { bot }, seat.key);
  if (isPublic) await post(at(id, "/public"), {}, seat.key);
  if (begins) await post(at(id, "/start"), {}, seat.key);
  if (from) await post(at(id, "/start-from"), from, seat.key);
  return id;
}

// The bot that plays unless another one is chosen: any but the one that only makes random moves.
export const usual = (bots) => bots.find((bot) => bot !== "random") ?? bots[0] ?? "";

const WATCH_PAUSE_S = 1; // each turn takes at least so long where bots play for whoever watches

const LOOKED_MAX = 5; // how many public tables are asked for their house rules

// A table that can be watched: a public one of this game with the same values of `rules`, whatever its other house rules are, or a
// new one with the two strongest house bots.
export async function tableToWatch(game, rules) {
  const open = (await get("/api/tables")).filter((table) => table.game === game.name && table.status === "playing");
  for (const { id } of open.slice(0, LOOKED_MAX)) {
    const table = await get(at(id)).catch(() => null); // it may have closed meanwhile
    if (table && Object.entries(rules).every(([name, value]) => table.rules[name] === value)) return id;
  }
  const best = [...game.bots].sort((one, other) => (game.levels[other] ?? 0) - (game.levels[one] ?? 0));
  return makeTable({ game: game.name, rules, botsPause: WATCH_PAUSE_S, bots: [best[0], best[1] ?? best[0]], watches: true, begins: true });
}
