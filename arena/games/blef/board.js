// The table of Blef: hands of cards, the bet in the middle as the cards that it claims, and what was there of them.

export const spells = "cards"; // its sentences name cards by two characters

// A check: how many of the cards that are needed have been found.
export function beats({ events, shown }) {
  const set = shown && events.some(({ fields }) => fields === shown.fields) ? SETS[shown.fields.action_id] : null;
  if (!set) return [];
  const { numbers } = foundIn(set, shown.fields.hands.flatMap(([, cards]) => cards));
  return Array.from({ length: numbers.size }, (_, count) => ({ found: count }));
}

export function board(scene, seat, kit) {
  if (!scene.state) return kit.html`<p>The rules failed here, so there is nothing to show.</p>`;
  const look = lookOf(scene, seat, kit);
  return kit.table(scene, seat, {
    centre: centre(scene, look, kit),
    place: (each) => place(scene, each, look, kit),
  });
}

// Everything that the table shows, by seat.
function lookOf(scene, seat, kit) {
  const { state, shown } = scene;
  const left = scene.names.map(() => 0);
  state.players.forEach(({ nickname, n_cards: count }) => (left[kit.seatOf(scene, nickname)] = count));
  const last = state.history.findLast(({ action_id: id }) => id < SETS.length);
  return {
    left,
    most: state.max_cards,
    bet: last ? { set: SETS[last.action_id], bettor: kit.seatOf(scene, last.player) } : null,
    showdown: shown ? showdownOf(scene, seat, shown, kit) : null,
  };
}

// What was shown at the end of the round; `set` is null where nobody checked.
function showdownOf(scene, seat, { fields }, kit) {
  const seatOf = (name) => kit.seatOf(scene, name);
  const hands = scene.names.map(() => null);
  fields.hands.forEach(([name, cards]) => (hands[seatOf(name)] = cards));
  const set = SETS[fields.action_id] ?? null;
  const order = kit.orderOf(scene, seat);
  return {
    hands, set, loser: seatOf(fields.loser), isThere: fields.is_there,
    checker: set && seatOf(fields.player), bettor: set && seatOf(fields.bettor),
    found: set && foundSoFar(foundIn(set, order.flatMap((each) => hands[each] ?? [])), scene.beat),
    isOpen: Boolean(scene.beat),
  };
}

// What was found, or in a beat the first of it.
function foundSoFar({ slots, numbers, fitting }, beat) {
  if (!beat) return { slots, numbers, fitting };
  const first = new Map([...numbers].filter(([, number]) => number <= beat.found));
  return { slots: slots.map((card) => (first.has(card) ? card : null)), numbers: first, fitting: null };
}

// The middle.

function centre(scene, look, kit) {
  const { html } = kit;
  if (look.showdown) return checked(scene, look.showdown, kit);
  if (scene.ranks) return kit.winners(scene);
  const inPlay = `${kit.counted(look.left.reduce((sum, each) => sum + each, 0), "card")} in play`;
  if (!look.bet) {
    return html`<p class="k-title">No bet yet</p>
      <p class="k-note">${inPlay}; whoever loses a round with ${kit.counted(look.most, "card")} is out</p>`;
  }
  const { set, bettor } = look.bet;
  return html`${kit.cards(set.cards, { claimed: true, loose: true, label: set.words })}
    <p class="k-title">${set.words}</p>
    <p class="k-note">bet by ${scene.names[bettor]}, ${inPlay}</p>`;
}

// The set that was bet on, put together as far as it was there, and what follows.
function checked(scene, { set, found, isThere, checker, bettor, loser, isOpen }, kit) {
  const { html } = kit;
  const name = (seat) => scene.names[seat];
  if (!set) return html`<p class="k-title">No valid answer</p><p class="k-verdict">${name(loser)} loses the round</p>`;
  const met = set.cards.map((claimed, at) => found.slots[at] ?? claimed);
  const isMet = (_, at) => found.slots[at] !== null;
  const cards = kit.cards(met, { loose: true, marked: isMet, claimed: (...each) => !isMet(...each), label: set.words });
  return html`${cards}
    <p class="k-figure">${found.numbers.size} of ${set.cards.length}</p>
    <p class="k-note">${name(checker)} checks ${name(bettor)}’s bet of ${articled(set.words)}</p>
    <p class="k-verdict">${isOpen ? "\u00a0" : `The bet is ${isThere ? "true" : "false"}, so ${name(loser)} loses the round`}</p>
    ${scene.ranks ? kit.winners(scene) : null}`;
}

// A player.

function place(scene, seat, look, kit) {
  const { left, most, showdown } = look;
  const own = scene.own[seat]?.hands[0]?.hand.map(textOf) ?? [];
  const revealed = showdown?.hands[seat];
  const count = showdown?.isOpen && revealed ? revealed.length : left[seat]; // how many it has next says who lost
  return kit.place(scene, seat, {
    stats: `${kit.counted(count, "card")}${count === most ? ", the most" : ""}`,
    said: showdown?.checker === seat ? "checks" : scene.said[seat],
    lost: showdown?.loser === seat && !showdown.isOpen ? (scene.out[seat] ? "is out" : "loses the round") : null,
    body: [
      revealed && kit.cards(revealed, revealedOptions(showdown, own.length > 0)),
      own.length > 0 && !showdown?.isOpen && (revealed ? kit.handNow(kit.cards(own)) : kit.cards(own)),
      !own.length && !revealed && left[seat] > 0 && kit.cards(left[seat]),
    ],
  });
}

function revealedOptions({ set, found }, small) {
  if (!set) return { small };
  return {
    small,
    marked: (card) => found.numbers.has(card),
    dim: (card) => found.fitting !== null && !found.fitting.has(card),
    number: (card) => found.numbers.get(card) ?? null,
  };
}

// How a person moves: the kind of set, then its values or colours, of which only legal ones can be chosen; check.

export function controls({ scene, seat, options, send }, kit) {
  const bets = (options ?? []).filter(({ kind }) => kind === "Bet");
  const check = (options ?? []).find(({ kind }) => kind === "Check");
  const last = scene.state?.history.findLast(({ action_id: id }) => id < SETS.length);
  const words = last ? `Check ${last.player}’s bet of ${articled(SETS[last.action_id].words)}` : "Check";
  const button = check && kit.html`<button type="button" onClick=${() => send(check.form)}>${kit.isolated(words, scene.names)}</button>`;
  if (bets.length) return kit.html`<${BetForm} bets=${bets} known=${knownTo(scene, seat)} send=${send} kit=${kit} besides=${button} />`;
  return kit.html`<div class="k-controls"><div class="k-buttons">${button}</div></div>`;
}

// What somebody knows of a set: how many of its cards are in the own hand, how many must be among the others' `hidden`
// ones, and whether there are as many.
function knownTo(scene, seat) {
  const own = scene.own[seat]?.hands[0]?.hand.map(textOf) ?? [];
  const hidden = scene.state.players.reduce((sum, { n_cards: count }) => sum + count, 0) - own.length;
  return (set) => ({ hidden, ...neededOf(set, own, hidden) });
}

export function neededOf(set, own, hidden) {
  const held = foundIn(set, own).numbers.size, missing = set.cards.length - held;
  return { held, missing, isPossible: missing <= hidden };
}

// What a step says of chance: how often the set that was bet on is there among all cards that the others may hold, as
// whoever is to answer sees it.
export function chances(scene, kit) {
  const last = scene.state?.history.findLast(({ action_id: id }) => id < SETS.length);
  const [seat] = scene.asked, hand = scene.own[seat]?.hands[0]?.hand.map(textOf);
  if (!last || !hand) return [];
  const set = SETS[last.action_id], { hidden } = knownTo(scene, seat)(set);
  return [`By the cards of ${scene.names[seat]} alone, the bet of ${articled(set.words)} is true in ${kit.percent(chanceOf(set, hand, hidden))} of all deals`];
}

// The share of all hands of `hidden` cards from the rest of the pack with which the set is there.  By the number of cards
// taken so far: in how many ways; first any of the cards that the set has no use for, then enough of each kind it claims.
export function chanceOf(set, own, hidden) {
  const rest = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit)).filter((card) => !own.includes(card));
  const kinds = [...new Set(set.cards)], fits = (claimed) => (card) => [...claimed].every((sign, at) => sign === "*" || sign === card[at]);
  const useless = rest.filter((card) => !kinds.some((claimed) => fits(claimed)(card))).length;
  let ways = Array.from({ length: hidden + 1 }, (_, taken) => choose(useless, taken));
  for (const claimed of kinds) {
    const needed = set.cards.filter((each) => each === claimed).length - own.filter(fits(claimed)).length;
    const there = rest.filter(fits(claimed)).length;
    ways = ways.map((_, taken) => ways.slice(0, taken + 1).reduce((sum, before, at) => sum + (taken - at >= needed ? before * choose(there, taken - at) : 0), 0));
  }
  return ways[hidden] / choose(rest.length, hidden);
}

const choose = (all, some) => Array.from({ length: some }, (_, at) => (all - at) / (at + 1)).reduce((product, each) => product * each, 1);

// What the rules show besides: the ladder, and of a round that is played which sets beat its bet, and which of them can
// be there for all that the reader knows.
export function guide(scene, kit) {
  const { html } = kit;
  const known = scene?.state ? knownTo(scene, scene.you) : () => ({ isPossible: true });
  const last = scene?.state?.history.findLast(({ action_id: id }) => id < SETS.length);
  const open = SETS.filter(({ id }) => !last || id > last.action_id);
  const said = !last ? `All ${SETS.length} sets, from the lowest`
    : open.length ? `${open.length} of ${SETS.length} sets beat ${last.player}’s bet of ${articled(SETS[last.action_id].words)}; the next is ${articled(open[0].words)}`
      : `Nothing beats ${last.player}’s bet: it can only be checked`;
  return html`<h3>${kit.isolated(said, scene?.names ?? [])}</h3>
    <ol class="ladder">${Object.entries(KINDS).map(([kind, { title }]) => {
      const sets = SETS.filter((set) => set.kind === kind);
      const left = sets.filter((set) => open.includes(set));
      const count = left.length === sets.length ? sets.length : `${left.length || "none"} of ${sets.length}`;
      const some = left.filter((set) => known(set).isPossible).length;
      const can = some === left.length ? "" : some ? `, ${some} can be there` : ", which cannot be there";
      return html`<li key=${kind} class=${left.length ? null : "is-beaten"}><span>${title} <small>${count}${can}</small></span>
        <span>${left.length ? kit.cards(left[0].cards, { small: true, loose: true, claimed: true, label: `from ${left[0].words}` }) : "beaten"}</span></li>`;
    })}</ol>`;
}

function BetForm({ bets, known, send, kit, besides }) {
  const { html } = kit;
  const optionOf = (set) => bets.find((option) => kit.allows(option, { action_id: set.id }));
  const [wanted, want] = kit.useState({});
  const legal = SETS.filter(optionOf), lowest = (sets) => sets.find((each) => known(each).isPossible) ?? sets[0];
  const kind = legal.some((set) => set.kind === wanted.kind) ? wanted.kind : lowest(legal).kind;
  const ofKind = legal.filter((set) => set.kind === kind);
  const first = ofKind.some((set) => set.first === wanted.first) ? wanted.first : lowest(ofKind).first;
  const ofFirst = ofKind.filter((set) => set.first === first);
  const set = ofFirst.find(({ second }) => second === wanted.second) ?? lowest(ofFirst);
  const all = SETS.filter((each) => each.kind === kind);
  const { title, firstTitle, secondTitle } = KINDS[kind];
  const bet = (event) => {
    event.preventDefault();
    send(kit.filled(optionOf(set).form, { action_id: set.id }));
  };
  const part = (name, legend, of, among, chosen) => html`<fieldset>
    <legend>${legend}</legend>
    ${[...new Set(of.map((each) => each[name]))].map((value) => html`<${kit.Choice} key=${value} name=${name} chosen=${value === chosen}
      disabled=${!among.some((each) => each[name] === value)} choose=${() => want({ ...set, [name]: value })}>
      <span class=${among.filter((each) => each[name] === value).some((each) => known(each).isPossible) ? null : "is-impossible"}>${partSign(value, kit)}</span><//>`)}
  </fieldset>`;
  return html`<form class="k-controls blef-moves" onSubmit=${bet}>
    <fieldset>
      <legend class="unseen">What do you bet is there?</legend>
      ${Object.keys(KINDS).map((each) => html`<${kit.Choice} key=${each} name="kind" chosen=${each === kind}
        disabled=${!legal.some((other) => other.kind === each)} choose=${() => want({ ...set, kind: each })}>${rung(KINDS[each].title, legal.filter((other) => other.kind === each), known, kit)}<//>`)}
    </fieldset>
    ${part("first", firstTitle ?? title, all, ofKind, set.first)}
    ${secondTitle ? part("second", secondTitle, all.filter((each) => each.first === set.first), ofFirst, set.second) : null}
    <p class="blef-known">${knownSaid(set, known(set), kit)}</p>
    <div class="k-buttons"><button class="k-send">Bet ${articled(set.words)}</button>${besides}</div>
  </form>`;
}

// A kind of set on the ladder, and how many of its sets that beat the bet can be there.
function rung(title, open, known, { html }) {
  const some = open.filter((set) => known(set).isPossible).length;
  return html`<span class=${`blef-rung${open.length && !some ? " is-impossible" : ""}`}>${title}<small>${
    open.length ? `${some || "none"} possible` : "beaten"}</small></span>`;
}

// "You hold one of its four cards; three are missing."
function knownSaid(set, { held, missing, hidden, isPossible }, { numberWord: number }) {
  const { length } = set.cards;
  if (!missing) return length === 1 ? "You hold it, so it is there." : `You hold all ${number(length)} cards, so it is there.`;
  if (!isPossible) return `Cannot be there: ${number(missing)} missing, ${number(hidden)} face down.`;
  if (length === 1) return "You do not hold it.";
  return `You hold ${held ? number(held) : "none"} of its ${number(length)} cards${held ? `; ${number(missing)} ${missing === 1 ? "is" : "are"} missing` : ""}.`;
}

// A value or colour as a card, the size of a straight in words.
function partSign(part, kit) {
  if (part in SIZES) return `${part} (${RANK_WORDS[SIZES[part][0]]} to ${RANK_WORDS[SIZES[part].at(-1)]})`;
  return kit.card(part, { small: true });
}

// "a pair of nines", "three nines"; a high card is just the card: "an ace".
function articled(words) {
  const card = words.replace("high card ", "");
  return /^(two|three|four)/.test(words) ? words : `${card === "ace" ? "an" : "a"} ${card}`;
}

// On a phone its controls take three rows of choices; a row of them shall fit beside its question.
export const style = `
.stage:has([data-game="blef"]) { --dock-height: 18.4rem; }
.blef-moves { --k-card-small: 1.5rem; }
.blef-moves fieldset { gap: .3rem; }
.blef-moves legend { max-width: 4.6rem; }
@media (max-width: 44rem) {
  .blef-moves .k-buttons button { line-height: 1.15; }
}
.blef-rung { display: grid; line-height: 1.15; }
.blef-rung small { font-size: .72rem; color: var(--soft); }
.k-choice:has(.is-impossible) { border-style: dashed; color: var(--soft); }
.is-impossible .k-card { opacity: .55; }
.k-controls .blef-known { margin: 0; min-height: 1.2em; font-size: .82rem; line-height: 1.2; color: var(--soft); max-width: none; }
`;

// The sets, in the order of their seniority.

const RANKS = "9TJQKA";
const SUITS = "CDHS";
const RANK_WORDS = { 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUIT_WORDS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const SIZES = { small: "9TJQK", big: "TJQKA", great: "9TJQKA" };

// Every kind: how its first and second part are asked for.
const KINDS = {
  high: { title: "high card", firstTitle: "Of" },
  pair: { title: "pair", firstTitle: "Of" },
  pairs: { title: "two pair", firstTitle: "The higher pair", secondTitle: "The lower pair" },
  straight: { title: "straight", firstTitle: "How long" },
  three: { title: "three of a kind", firstTitle: "Of" },
  full: { title: "full house", firstTitle: "Three", secondTitle: "Over two" },
  flush: { title: "flush", firstTitle: "Of" },
  four: { title: "four of a kind", firstTitle: "Of" },
  run: { title: "straight flush", firstTitle: "How long", secondTitle: "Of" },
};

const textOf = ({ value, colour }) => RANKS[value] + SUITS[colour];

// All sets by action id: the cards that each claims ("*": any), its words, and the parts it is chosen by.
export const SETS = allSets().map((set, id) => ({ id, ...set }));

function allSets() {
  const ranks = [...RANKS], suits = [...SUITS], sizes = Object.keys(SIZES);
  const of = (rank, count) => Array(count).fill(`${rank}*`);
  const many = (rank) => `${RANK_WORDS[rank]}s`;
  const same = (kind, count, words) =>
    ranks.map((rank) => ({ kind, first: `${rank}*`, cards: of(rank, count), words: words(rank) }));
  return [
    ...same("high", 1, (rank) => `high card ${RANK_WORDS[rank]}`),
    ...same("pair", 2, (rank) => `pair of ${many(rank)}`),
    ...ranks.flatMap((high, at) => ranks.slice(0, at).map((low) => ({
      kind: "pairs", first: `${high}*`, second: `${low}*`, cards: [...of(high, 2), ...of(low, 2)], words: `two pair, ${many(high)} and ${many(low)}`,
    }))),
    ...sizes.map((size) => ({
      kind: "straight", first: size, cards: [...SIZES[size]].map((rank) => `${rank}*`), words: `${size} straight`,
    })),
    ...same("three", 3, (rank) => `three ${many(rank)}`),
    ...ranks.flatMap((high) => ranks.filter((low) => low !== high).map((low) => ({
      kind: "full", first: `${high}*`, second: `${low}*`, cards: [...of(high, 3), ...of(low, 2)], words: `full house, ${many(high)} over ${many(low)}`,
    }))),
    ...suits.map((suit) => ({ kind: "flush", first: `*${suit}`, cards: Array(5).fill(`*${suit}`), words: `flush of ${SUIT_WORDS[suit]}` })),
    ...same("four", 4, (rank) => `four ${many(rank)}`),
    ...sizes.flatMap((size) => suits.map((suit) => ({
      kind: "run", first: size, second: `*${suit}`, cards: [...SIZES[size]].map((rank) => rank + suit), words: `${size} straight flush of ${SUIT_WORDS[suit]}`,
    }))),
  ];
}

// What is there of a set among these cards: `slots`, for each of the set's cards the one that fills it, or null;
// `numbers`, those cards numbered through; `fitting`, all that could count, also beyond what is needed.
export function foundIn(set, cards) {
  const fits = (claimed, card) => [...claimed].every((sign, at) => sign === "*" || sign === card[at]);
  const slots = set.cards.map(() => null);
  const numbers = new Map();
  for (const card of cards) {
    const at = set.cards.findIndex((claimed, place) => slots[place] === null && fits(claimed, card));
    if (at >= 0) {
      slots[at] = card;
      numbers.set(card, numbers.size + 1);
    }
  }
  return { slots, numbers, fitting: new Set(cards.filter((card) => set.cards.some((claimed) => fits(claimed, card)))) };
}
