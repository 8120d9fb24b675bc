// How Hold'em looks, and how a person bets.

const PLACES = 5;
const STREETS = ["flop", "turn", "river"];
const OPENED = [0, 3, 4]; // cards on the board before each street
const RANKS = "23456789TJQKA";

export const spells = "cards"; // its sentences name cards by two characters

// A hand that is shown down before the river: the streets that were still to come, one after another, each with how
// often every hand that is shown will be the best.
export function beats({ events, shown }, _, kit) {
  const come = STREETS.filter((street) => events.some(({ kind }) => kind === street));
  if (shown?.kind !== "showdown" || !come.length) return [];
  return come.map((street) => OPENED[STREETS.indexOf(street)]).map((count) => {
    const opened = shown.fields.board.slice(0, count);
    return { opened, chances: chancesOf(shown.fields.hands, opened, kit) };
  });
}

export function board(scene, seat, kit) {
  if (!scene.state) return kit.html`<p>The rules failed here, so there is nothing to show.</p>`;
  const hand = handOf(scene, kit);
  return kit.table(scene, seat, {
    centre: centre(scene, hand, kit),
    place: (each) => place(scene, each, hand, kit),
  });
}

// What a scene tells of the hand that is played or, in the step in which one ends, of that one.
function handOf(scene, kit) {
  const { table, cards, pots } = scene.state;
  const over = kit.told(scene, "hand_over");
  const showdown = kit.told(scene, "showdown") ?? (scene.shown?.kind === "showdown" ? scene.shown.fields : null);
  const isIn = (name) => table.find(({ playerID }) => playerID === name).state !== "folded";
  const told = (kind) => scene.events.filter((event) => event.kind === kind).map((event) => event.fields);
  const found = {
    over: over && Object.fromEntries(over.won),
    showdown,
    pots: over ? told("pot") : pots.filter(({ size }) => size).map(({ size, players }) => ({ size, players: players.filter(isIn) })),
    winnings: over ? {} : Object.fromEntries(scene.state.last_winners.map(({ playerID, won }) => [playerID, won])),
    row: Object.fromEntries(table.map((player) => [player.playerID, player])),
  };
  for (const { winners = [] } of found.pots) {
    for (const [name, chips] of winners) found.winnings[name] = (found.winnings[name] ?? 0) + chips;
  }
  found.isBefore = !over && showdown !== null && scene.live; // of the hand before, which stays until somebody acts
  found.beat = scene.beat;
  const isShown = over || found.isBefore;
  found.opened = scene.beat ? scene.beat.opened : isShown ? (showdown?.board ?? []) : STREETS.flatMap((street) => cards[street] ?? []);
  found.best = bestOf(isShown && !scene.beat ? showdown : null, kit);
  found.bigBlind = over ? null : bigBlindOf(scene);
  return found;
}

// By name the five cards that make each hand that was shown.
function bestOf(showdown, { bestFive }) {
  return Object.fromEntries((showdown?.hands ?? []).map(([name, hole]) => [name, bestFive([...showdown.board, ...hole])]));
}

// The seat after the small blind that is in the hand, in playing order.
function bigBlindOf({ state: { table, turn } }) {
  const small = table.findIndex((player) => player.small_blind);
  if (small < 0 || turn.playerID === null) return null;
  for (let by = 1; by < table.length; by++) {
    const player = table[(small + by) % table.length];
    if (player.state !== "out") return player.playerID;
  }
  return null;
}

// The middle of the table.

function centre(scene, hand, kit) {
  const { html } = kit;
  const first = hand.beat ? [] : hand.pots.find(({ winners }) => winners)?.winners ?? (hand.isBefore ? Object.entries(hand.winnings) : []);
  const counting = new Set(first.flatMap(([name, chips]) => (chips ? hand.best[name] ?? [] : [])));
  const marked = (card) => counting.has(card);
  return html`<div class="holdem-centre">
    ${scene.ranks ? kit.winners(scene) : html`<p class="k-title">${streetOf(scene, hand)}</p>`}
    ${hand.over && !hand.showdown ? null : html`<div class="holdem-cards">
      ${hand.opened.length ? kit.cards(hand.opened, { loose: true, marked, dim: (card) => counting.size > 0 && !marked(card) }) : null}
      ${Array.from({ length: PLACES - hand.opened.length }, (_, at) => space(at, html))}
    </div>`}
    ${hand.pots.length ? html`<ul class="holdem-pots">${hand.pots.map((pot, at) => potLine(pot, at, hand, kit))}</ul>` : null}
    ${toAct(scene, kit)}
    ${before(scene, hand, kit)}
  </div>`;
}

const space = (at, html) => html`<span key=${`space${at}`} class="k-card holdem-space" aria-hidden="true">
  <svg viewBox="0 0 44 62" focusable="false"><rect x="1.5" y="1.5" width="41" height="59" rx="6" /></svg></span>`;

function streetOf(scene, hand) {
  if (hand.beat) return `All in, ${hand.opened.length ? `after the ${streetWith(hand.opened.length)}` : "before the flop"}`;
  if (hand.isBefore) return "Showdown of the last hand";
  if (hand.over) return hand.showdown ? "Showdown" : "Nobody called";
  if (!scene.state.turn.playerID) return "Before the first hand";
  return `Hand ${number(scene.state.hand_number)}, ${streetWith(hand.opened.length) ?? "before the flop"}`;
}

const streetWith = (cards) => ({ 3: "flop", 4: "turn", 5: "river" })[cards];

function potLine({ size, players, winners }, at, { pots, beat }, kit) {
  const label = pots.length === 1 ? "pot" : at ? `${pots.length > 2 ? `${kit.placeWord(at)} ` : ""}side pot` : "main pot";
  const won = (beat ? [] : winners ?? []).map(([name, chips]) => (winners.length > 1 ? `${name} ${number(chips)}` : name)).join(", ");
  return kit.html`<li key=${at}>${kit.chips(size, { label })}
    ${won ? kit.html`<span class="holdem-to"> to <b>${won}</b></span>` : null}
    ${pots.length > 1 && players ? kit.html`<small>for ${players.map((name) => kit.html`<span key=${name}>${name}</span>`)}</small>` : null}</li>`;
}

// What the seat on turn has to answer to.
function toAct(scene, kit) {
  const { turn } = scene.state;
  if (!turn.playerID || scene.ranks) return null;
  const { wealth } = scene.state.table.find((player) => player.playerID === turn.playerID);
  const call = Math.min(turn.bet_to_player - turn.bet_so_far, wealth);
  const said = call ? `${number(call)} to call${call === wealth ? ", all in" : ""}` : "may check";
  return kit.html`<p class="k-note holdem-turn"><b>${turn.playerID}</b>: ${said}</p>`;
}

// A player.

function place(scene, seat, hand, kit) {
  const name = scene.names[seat];
  const row = hand.row[name];
  return kit.place(scene, seat, {
    stats: statsOf(scene, row, hand, kit),
    dealer: !hand.over && scene.state.turn.playerID !== null && scene.state.button === name,
    note: noteOf(row, hand),
    said: saidOf(scene, seat, row, hand),
    body: bodyOf(scene, seat, row, hand, kit),
    ...resultOf(name, hand),
  });
}

function statsOf(scene, row, hand, kit) {
  if (hand.beat) return chanceWords(hand.beat.chances?.[row.playerID], kit) || "\u00a0";
  const over = kit.told(scene, "match_over");
  const name = row.playerID;
  if (over) return `${signed(Object.fromEntries(over.returns)[name])} in the match`;
  const chips = row.state === "out" ? "" : kit.html`${number(row.wealth)}<span class="k-unit"> chips</span>`;
  if (hand.over) {
    const won = name in hand.over ? `${signed(hand.over[name])} in this hand` : "";
    // Where stacks are reset, those of the next hand would only hide what was won.
    return kit.html`${scene.rules.reset_stacks ? "" : chips}${!scene.rules.reset_stacks && chips && won ? ", " : ""}${won}`;
  }
  if (!chips) return null;
  const blind = hand.bigBlind === null ? "" : row.small_blind ? ", small blind" : name === hand.bigBlind ? ", big blind" : "";
  return kit.html`${chips}<span class="holdem-blind">${blind}</span>`;
}

// What it did on this street: what was before is not an answer to the bets that lie there now.
function saidOf(scene, seat, row, hand) {
  const isAnswer = !hand.over && (row.state === "called" || row.state === "all_in");
  return isAnswer || scene.acted.includes(seat) ? scene.said[seat] : "";
}

function noteOf(row, hand) {
  if (hand.over) return null;
  return { all_in: "all in", folded: "folded" }[row.state] ?? null;
}

function resultOf(name, { over, isBefore, showdown, winnings, beat }) {
  if (beat || (!over && !isBefore)) return {};
  const what = showdown?.hands.find(([who]) => who === name)?.[2];
  if (winnings[name]) return { won: `wins ${number(winnings[name])}${what ? ` with ${handWords(what)}` : ""}` };
  return what ? { lost: `loses ${over ? `${number(-over[name])} ` : ""}with ${handWords(what)}` } : {};
}

function bodyOf(scene, seat, row, { over, isBefore, showdown, best, beat }, kit) {
  const name = scene.names[seat];
  const shown = over || isBefore ? showdown?.hands.find(([who]) => who === name)?.[1] : null;
  const revealed = shown && kit.html`<div class="holdem-shown">${kit.cards(shown, beat ? { loose: true } : { loose: true, marked: (card) => best[name].includes(card), dim: (card) => !best[name].includes(card) })}</div>`;
  if (over) return revealed;
  if (row.state === "out" || scene.state.turn.playerID === null) return revealed;
  const isFolded = row.state === "folded";
  const own = scene.own[seat]?.cards.hole ?? null;
  const hole = own ?? (isFolded || revealed ? null : [null, null]);
  const cards = hole ? kit.cards(hole, { loose: true, dim: isFolded }) : null;
  return kit.html`${revealed}${revealed && own ? kit.handNow(cards) : cards}
    ${row.bet_so_far ? kit.chips(row.bet_so_far, { label: "bet" }) : null}`;
}

// Chances.

// By name how often its hand is the best alone and how often it shares, over all boards that may come after this one; null
// where no card lies there: they are too many to be counted here.
function chancesOf(hands, opened, { worthOf }) {
  if (opened.length < 3) return null;
  const used = new Set([...opened, ...hands.flatMap(([, hole]) => hole)]);
  const left = [...RANKS].flatMap((rank) => ["C", "D", "H", "S"].map((suit) => rank + suit)).filter((card) => !used.has(card));
  const found = hands.map(() => ({ wins: 0, ties: 0 }));
  let boards = 0;
  for (const more of opened.length === 4 ? left.map((card) => [card]) : left.flatMap((one, at) => left.slice(at + 1).map((other) => [one, other]))) {
    const worths = hands.map(([, hole]) => worthOf([...opened, ...more, ...hole])), best = Math.max(...worths);
    const isShared = worths.filter((worth) => worth === best).length > 1;
    worths.forEach((worth, at) => { if (worth === best) found[at][isShared ? "ties" : "wins"]++; });
    boards++;
  }
  return Object.fromEntries(hands.map(([name], at) => [name, { wins: found[at].wins / boards, ties: found[at].ties / boards }]));
}

// What a step says of chance to whoever knows all hands: how often each would win if nobody folded any more, and in a
// run-out the same after each street.
export function chances(scene, kit) {
  const { events, state: { table, cards, turn } } = scene;
  const said = (found) => kit.listed(Object.entries(found).map(([name, chance]) => `${name} ${chanceWords(chance, kit)}`));
  const come = beats(scene, null, kit).filter(({ chances: found }) => found);
  if (come.length) return come.map(({ opened, chances: found }) => `After the ${streetWith(opened.length)}, ${said(found)}`);
  const opened = STREETS.flatMap((street) => cards[street] ?? []);
  const isIn = table.filter(({ state }) => state !== "folded" && state !== "out");
  const hands = isIn.map(({ playerID: name }) => [name, scene.own[kit.seatOf(scene, name)]?.cards.hole]);
  if (!turn.playerID || opened.length < 3 || hands.length < 2 || hands.some(([, hole]) => !hole) || events.some(({ kind }) => kind === "hand_over")) return [];
  return [`If nobody folds from here, ${said(chancesOf(hands, opened, kit))}`];
}

function chanceWords(chance, { percent }) {
  if (!chance) return "";
  return `wins ${percent(chance.wins)}${chance.ties ? `, shares ${percent(chance.ties)}` : ""}`;
}

// What came of the hand before, until the flop of this one.

function before(scene, hand, kit) {
  const won = hand.over || hand.isBefore || hand.opened.length ? [] : scene.state.last_winners.filter((each) => each.won > 0);
  const said = won.map((each) => `${each.playerID} won ${number(each.won)}${each.hand ? ` with ${handWords(each.hand)}` : ""}`);
  return said.length ? kit.html`<p class="k-note holdem-before">Last hand: ${kit.listed(said)}.</p>` : null;
}

// Words.

const number = (chips) => String(chips).replace(/\B(?=(\d{3})+$)/g, ",");
const signed = (chips) => `${chips < 0 ? "−" : chips > 0 ? "+" : "±"}${number(Math.abs(chips))}`;
const handWords = (what) => (/^(two|three|four|high)/.test(what) ? what : `a ${what}`);

// How a person bets.  It is sent at a click, by Enter in the field, or by a letter while the focus is in here.

export function controls({ scene, seat, options, send }, kit) {
  if (!options?.length || seat === null || !scene.state) return null;
  return kit.html`<${Betting} key=${scene.step} ...${{ scene, seat, options, send, kit }} />`;
}

function Betting({ scene, seat, options, send, kit }) {
  const { html, useRef, useState } = kit;
  const spot = spotOf(scene, seat, options);
  const [text, setText] = useState(spot.raise ? String(spot.raise.least) : "");
  const field = useRef(null);
  const fold = () => send({ action: 0 });
  const stay = () => send({ action: 1, betAmount: spot.call });
  const total = Number(text.replace(/[, ]/g, "") || NaN);
  const isLegal = spot.raise && Number.isInteger(total) && total >= spot.raise.least && total <= spot.raise.most;
  const raise = () => isLegal && send({ action: 1, betAmount: total - spot.bet });
  const keys = { f: fold, c: stay, r: () => field.current?.focus() };
  const hear = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.target.tagName === "INPUT" && event.target.type === "text")) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const word = spot.top ? "Raise to" : "Bet";
  return html`<form class="k-controls holdem-moves" onKeyDown=${hear} onSubmit=${(event) => { event.preventDefault(); raise(); }}>
    <div class="holdem-row holdem-acts">
      <button type="button" data-part="fold" onClick=${fold}>Fold <kbd>F</kbd></button>
      <button type="button" data-part="call" class="k-send" onClick=${stay}>${stayWords(spot)} <kbd>C</kbd></button>
      ${spot.raise ? html`<button type="submit" data-part="raise" disabled=${!isLegal}>${isLegal ? `${word} ${number(total)}` : word} <kbd>R</kbd></button>` : null}
    </div>
    ${spot.raise ? html`<${Raising} ...${{ spot, word, text, setText, total, isLegal, field, kit }} />` : null}
  </form>`;
}

// The size of a bet: a field, the usual sizes, and a slider.
function Raising({ spot, word, text, setText, total, isLegal, field, kit }) {
  const { html } = kit;
  const { least, most } = spot.raise;
  const choose = (chips) => setText(String(chips));
  return html`<div class="holdem-size" role="group" aria-label=${word}>
    <div class="holdem-row">
      <input type="text" inputmode="numeric" autocomplete="off" data-part="amount" aria-label=${`${word}, in chips`} ref=${field}
        value=${text} onInput=${(event) => setText(event.target.value)} aria-invalid=${isLegal ? null : "true"} />
      ${sizesOf(spot).map(({ label, chips }) => html`<button key=${label} type="button" aria-pressed=${total === chips} onClick=${() => choose(chips)}>${label}</button>`)}
    </div>
    ${least < most ? html`<input type="range" min="0" max="100" data-part="size" aria-label=${word}
      aria-valuetext=${isLegal ? number(total) : ""} value=${placeOf(spot, isLegal ? total : least)}
      onInput=${(event) => choose(chipsAt(spot, Number(event.target.value)))} />` : null}
    <output aria-live="polite">${isLegal ? raiseWords(spot, total) : `${word} ${rangeWords(spot.raise)}.`}</output>
  </div>`;
}

// What the seat may do, in chips: `call` more to stay; a raise to a whole bet of `least` to `most`.
function spotOf(scene, seat, options) {
  const { turn, pots, table } = scene.state;
  const amounts = options.filter(({ kind }) => kind === "Bet").map(({ fields }) => fields.amount);
  const row = table[seat];
  const range = amounts[1];
  const bet = row.bet_so_far;
  return {
    bet,
    call: amounts[0].min,
    top: turn.bet_to_player,
    stack: row.wealth,
    pot: pots.reduce((sum, { size }) => sum + size, 0),
    unit: scene.rules.small_blind,
    raise: range ? { least: bet + range.min, most: bet + range.max } : null,
  };
}

// Where all chips or none may be put in, the only bet is a raise.
const stayWords = ({ call, stack, bet, top }) =>
  bet + call > top ? `Raise to ${number(bet + call)}, all in` : call ? `Call ${number(call)}${call === stack ? ", all in" : ""}` : "Check";

const rangeWords = ({ least, most }) => (least === most ? number(least) : `${number(least)} to ${number(most)}`);

function raiseWords({ bet, top, stack }, total) {
  const more = total - bet;
  const act = top ? `You raise to ${number(total)}` : `You bet ${number(total)}`;
  const put = bet ? `: ${number(more)} more` : "";
  return `${act}${put}${more === stack ? ", all in" : ""}.`;
}

// Whole bets: half of the pot and the pot are counted as if the call were in it.
function sizesOf({ raise: { least, most }, pot, call, top }) {
  const part = (share) => Math.round(top + share * (pot + call));
  const sizes = [["Min", least], ["½ pot", part(0.5)], ["Pot", part(1)], ["All in", most]];
  return sizes
    .filter(([label, chips], at) => (chips >= least && chips <= most && sizes.findIndex((size) => size[1] === chips) === at) || label === "All in")
    .map(([label, chips]) => ({ label, chips }));
}

// The slider is finer for small bets, and gives round ones.
function chipsAt({ raise: { least, most }, unit }, place) {
  if (place >= 100) return most;
  const chips = least + (most - least) * (place / 100) ** 2;
  return place <= 0 ? least : Math.min(most, Math.max(least, Math.round(chips / unit) * unit));
}

const placeOf = ({ raise: { least, most } }, chips) => Math.round(100 * Math.sqrt((chips - least) / (most - least || 1)));

export const style = `
.holdem-centre { display: grid; gap: .4rem; justify-items: center; text-align: center; min-width: 0; }
.holdem-centre p { margin: 0; }
.holdem-cards { display: flex; gap: .25rem; justify-content: center; }
.holdem-cards > .k-cards { flex-wrap: nowrap; flex: none; gap: inherit; max-width: none; }
.holdem-space rect { fill: none; stroke: var(--soft); stroke-dasharray: 3 3; opacity: .55; }
.holdem-pots { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem; justify-content: center; }
.holdem-pots li { display: flex; flex-wrap: wrap; gap: 0 .4rem; align-items: center; justify-content: center; max-width: 100%; }
.holdem-pots small { display: inline-flex; flex-wrap: wrap; justify-content: center; gap: 0 .3rem; min-width: 0; }
.holdem-pots small span { max-width: 8rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.holdem-pots small span:not(:last-child)::after { content: ","; }
.holdem-pots small { color: var(--soft); }
.holdem-turn b { color: var(--ink); }
.holdem-shown { padding-top: .15rem; }
@container board (max-width: 39.99rem) {
  .holdem-blind, .k-hand .k-label, .holdem-before, .holdem-pots small { display: none; }
  .holdem-cards { gap: .1rem; }
}
.holdem-row { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.holdem-acts > button { flex: 1 1 auto; padding-inline: .5rem; }
.holdem-size { display: grid; gap: .35rem; min-width: 0; }
.holdem-size button { padding-inline: .6rem; flex: 1 0 auto; }
.holdem-moves input[type=text] { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .5rem; padding: .35rem .6rem; min-height: 2.75rem; width: 5.5rem; font-variant-numeric: tabular-nums; }
.holdem-moves input[aria-invalid] { border-color: var(--warn); }
.holdem-moves input[type=range] { width: 100%; margin: 0; min-height: 2.75rem; accent-color: var(--accent); }
.holdem-moves [aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.holdem-moves [data-part=raise] { border-color: var(--accent); font-weight: 600; }
.holdem-moves .k-send kbd { color: inherit; border-color: currentColor; }
.holdem-moves kbd { font: inherit; font-size: .75em; font-weight: 400; color: var(--soft); border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3em; margin-left: .25em; }
.holdem-moves output { color: var(--soft); font-size: .9rem; }
@media (pointer: coarse) { .holdem-moves kbd { display: none; } }
@media (max-width: 44rem) { .holdem-moves input[type=text] { width: 4.2rem; } .holdem-size button { padding-inline: .35rem; font-size: .9rem; } .holdem-moves output { display: none; } }
`;
