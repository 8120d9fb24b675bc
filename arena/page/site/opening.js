// A new table, and who sits there from the beginning.

import { at, get, post } from "./ask.js";
import { keepSeat, nickname } from "./kept.js";

// A new table with this tab's player and these house bots; gives its id.  `from`: where in a finished match it begins.
export async function makeTable({ game, rules = {}, moveTime = null, bots, begins, isPublic = false, from = null }) {
  const { id } = await post("/api/tables", { game, rules, move_time: moveTime });
  const seat = await post(at(id, "/players"), { nickname: nickname() });
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

// A table at which bots play: a public one of this game, or a new one with the two strongest house bots.
export async function tableToWatch(game, rules) {
  const open = (await get("/api/tables")).find((table) => table.game === game.name && table.status === "playing");
  if (open) return open.id;
  const { id } = await post("/api/tables", { game: game.name, rules, bots_pause: WATCH_PAUSE_S });
  const seat = await post(at(id, "/players"), { nickname: nickname(), spectate: true });
  keepSeat(id, seat);
  const best = [...game.bots].sort((one, other) => (game.levels[other] ?? 0) - (game.levels[one] ?? 0));
  for (const bot of [best[0], best[1] ?? best[0]]) await post(at(id, "/bots"), { bot }, seat.key);
  await post(at(id, "/start"), {}, seat.key);
  return id;
}
