// The table of Liar's Dice: dice under every player's hand, the bid in the middle, and the count when it is challenged.

// A challenge: how many of the dice that count have been counted.
export function beats({ events, shown }) {
  const isNow = shown?.kind === "challenge" && events.some(({ kind }) => kind === "challenge");
  return isNow ? Array.from({ length: shown.fields.actual + 1 }, (_, count) => ({ counted: count })).slice(0, -1) : [];
}

export function board(scene, seat, kit) {
  const { html } = kit;
  if (!scene.state) return html`<p>The rules failed here, so there is nothing to show.</p>`;
  const look = lookOf(scene, seat, kit);
  return kit.table(scene, seat, {
    centre: centre(scene, look, kit),
    place: (each) => place(scene, each, look, kit),
  });
}

// Everything that the table shows, by seat.
function lookOf(scene, seat, kit) {
  const { state, shown } = scene;
  const owner = typeof scene.viewer === "number" ? scene.viewer : null;
  const seatOf = (name) => kit.seatOf(scene, name, owner);
  const left = scene.names.map(() => 0);
  state.other_hands.forEach(([name, count]) => (left[seatOf(name)] = count));
  const showdown = shown?.kind === "challenge" ? showdownOf(scene, seat, shown.fields, kit) : null;
  const forfeiter = kit.told(scene, "invalid_move")?.loser;
  const [face, count] = state.last_bid;
  return {
    left,
    inPlay: left.reduce((sum, each) => sum + each, 0),
    onTurn: scene.asked.length && state.other_hands.length ? seatOf(state.other_hands[0][0]) : null,
    bid: count ? { face, count, bidder: seatOf(state.last_bidder) } : null,
    showdown,
    forfeiter: forfeiter === undefined ? null : seatOf(forfeiter),
  };
}

// `numbers`: the dice that count, numbered through in the order in which the table is read; 0: it does not.
function showdownOf(scene, seat, fields, kit) {
  const [face, count] = fields.bid;
  const counts = (die) => die === face || (scene.rules.wild_ones && die === 1);
  const hands = scene.names.map(() => null);
  const numbers = scene.names.map(() => []);
  fields.hands.forEach(([name, dice]) => (hands[kit.seatOf(scene, name)] = dice));
  let running = 0;
  for (const each of kit.orderOf(scene, seat)) {
    numbers[each] = (hands[each] ?? []).map((die) => (counts(die) ? ++running : 0));
  }
  const seatOf = (name) => kit.seatOf(scene, name);
  const counted = scene.beat?.counted ?? fields.actual;
  return {
    face, count, hands, actual: counted, isOpen: Boolean(scene.beat),
    numbers: numbers.map((each) => each.map((number) => (number > counted ? 0 : number))),
    challenger: seatOf(fields.challenger), bidder: seatOf(fields.bidder), loser: seatOf(fields.loser),
  };
}

const bidWords = (count, face, kit) => `${kit.numberWord(count)} ${face}${count === 1 ? "" : "s"}`;

// The middle.

const LARGE_MAX = 10; // dice of a bid or a hand; more are drawn smaller,
const DRAWN_MAX = 24; // and of a bid still more are a number beside one die

function centre(scene, look, kit) {
  const { html } = kit;
  if (look.showdown) return counted(scene, look.showdown, kit);
  if (look.forfeiter !== null) {
    return html`<p class="k-verdict">No valid answer</p>
      <p class="k-note">${scene.names[look.forfeiter]} loses a die</p>`;
  }
  if (scene.ranks) return kit.winners(scene);
  const inPlay = `${kit.counted(look.inPlay, "die", "dice")} in play`;
  if (!look.bid) return html`<p class="k-title">No bid yet</p><p class="k-note">${inPlay}</p>`;
  const { face, count, bidder } = look.bid;
  return html`${bidDice(count, face, {}, kit)}
    <p class="k-title">${bidWords(count, face, kit)}</p>
    <p class="k-note">${bidder === null ? "" : `bid by ${scene.names[bidder]}, `}${inPlay}</p>`;
}

function bidDice(count, face, options, kit) {
  const { html } = kit;
  const label = bidWords(count, face, kit);
  const small = count > LARGE_MAX;
  if (count <= DRAWN_MAX) return kit.dice(Array(count).fill(face), { label, small, ...options });
  return html`<span class="k-row"><b class="k-figure">${count} ×</b>${kit.die(face)}</span>`;
}

// The dice that were bid, filled as far as they are there, and what follows.
function counted(scene, { face, count, actual, challenger, bidder, loser, isOpen }, kit) {
  const { html } = kit;
  const name = (seat) => scene.names[seat];
  return html`${bidDice(count, face, { claimed: (_, at) => at >= actual, marked: (_, at) => at < actual }, kit)}
    <p class="k-figure">${Math.min(actual, count)} of ${count}${actual > count ? html`<small> and ${kit.numberWord(actual - count)} more</small>` : null}</p>
    <p class="k-note">${name(challenger)} challenges ${name(bidder)}’s bid of ${bidWords(count, face, kit)}</p>
    <p class="k-verdict">${isOpen ? "\u00a0" : `The bid is ${actual < count ? "false" : "true"}, so ${name(loser)} loses a die`}</p>
    ${scene.ranks ? kit.winners(scene) : null}`;
}

// A player.

function place(scene, seat, look, kit) {
  const { left, showdown } = look;
  const own = scene.own[seat]?.your_hand ?? [];
  const revealed = showdown?.hands[seat];
  const dice = (hand) => kit.dice(hand, { small: left[seat] > LARGE_MAX });
  const loses = showdown ? showdown.loser === seat && !showdown.isOpen : look.forfeiter === seat;
  return kit.place(scene, seat, {
    stats: kit.counted(showdown?.isOpen && revealed ? revealed.length : left[seat], "die", "dice"),
    turn: look.onTurn === seat,
    said: showdown?.challenger === seat ? "challenges" : saidOf(scene, seat, look, kit),
    lost: loses ? (scene.out[seat] ? "is out" : "loses a die") : null,
    body: [
      revealed && revealedDice(showdown, seat, own.length > 0 || revealed.length > LARGE_MAX, kit),
      own.length > 0 && !showdown?.isOpen && (revealed ? kit.handNow(dice(own)) : dice(own)),
      !own.length && !revealed && left[seat] > 0 && dice(left[seat]),
    ],
  });
}

// What a seat said last; the bid on the table stays with who made it.
const saidOf = (scene, seat, { bid }, kit) =>
  bid?.bidder === seat ? `bids ${bidWords(bid.count, bid.face, kit)}` : scene.said[seat];

function revealedDice({ hands, numbers, isOpen }, seat, small, kit) {
  const at = numbers[seat];
  return kit.dice(hands[seat], {
    small,
    marked: (_, place) => at[place] > 0,
    dim: (_, place) => !isOpen && !at[place],
    number: (_, place) => at[place] || null,
  });
}

// What a step says of chance: how often the bid is true among all dice that the others may have, as whoever is to answer
// it sees them.
export function chances(scene, kit) {
  const { state, asked, rules } = scene;
  const [face, count] = state?.last_bid ?? [0, 0], bidder = kit.seatOf(scene, state?.last_bidder, typeof scene.viewer === "number" ? scene.viewer : null);
  const seat = asked.find((each) => each !== bidder && scene.own[each]?.your_hand.length);
  if (!count || seat === undefined) return [];
  const counts = (die) => die === face || (rules.wild_ones && die === 1);
  const own = scene.own[seat].your_hand, held = own.filter(counts).length;
  const hidden = state.other_hands.reduce((sum, [, dice]) => sum + dice, 0) - own.length;
  const share = Array.from({ length: rules.faces }, (_, at) => at + 1).filter(counts).length / rules.faces;
  let some = 0;
  for (let found = Math.max(0, count - held); found <= hidden; found++) {
    let ways = 1;
    for (let at = 0; at < found; at++) ways *= (hidden - at) / (at + 1);
    some += ways * share ** found * (1 - share) ** (hidden - found);
  }
  return [`By the dice of ${scene.names[seat]} alone, the bid of ${bidWords(count, face, kit)} is true in ${kit.percent(some)} of all rolls of the others`];
}

// How a person moves: a count and a face, of which only legal ones can be chosen; challenge; pass.

export function controls({ scene, seat, options, send }, kit) {
  const bids = (options ?? []).filter(({ kind }) => kind === "Bid");
  const others = (options ?? []).filter(({ kind }) => kind !== "Bid");
  const words = { Challenge: challengeWords(scene, seat, kit), Pass: "Pass" };
  const buttons = others.map(
    ({ kind, form }) => kit.html`<button type="button" key=${kind} onClick=${() => send(form)}>${kit.isolated(words[kind], scene.names)}</button>`,
  );
  if (bids.length) return kit.html`<${BidForm} bids=${bids} send=${send} kit=${kit} besides=${buttons} />`;
  return kit.html`<div class="k-controls"><div class="k-buttons">${buttons}</div></div>`;
}

function challengeWords(scene, seat, kit) {
  const [face, count] = scene.state?.last_bid ?? [0, 0];
  if (!count) return "Challenge";
  return `Challenge ${scene.names[kit.seatOf(scene, scene.state.last_bidder, seat)]}’s bid of ${bidWords(count, face, kit)}`;
}

function BidForm({ bids, send, kit, besides }) {
  const { html } = kit;
  const range = (field, take) => take(...bids.flatMap(({ fields }) => [fields[field].min, fields[field].max]));
  const least = range("count", Math.min);
  const most = range("count", Math.max);
  const faces = Array.from({ length: range("face", Math.max) }, (_, at) => at + 1);
  const optionOf = (face, count) => bids.find((option) => kit.allows(option, { face, count }));
  const [wanted, want] = kit.useState({ face: null, count: least });
  const count = Math.min(Math.max(wanted.count, least), most);
  const legal = faces.filter((face) => optionOf(face, count));
  const face = legal.includes(wanted.face) ? wanted.face : legal[0];
  const bid = (event) => {
    event.preventDefault();
    send(kit.filled(optionOf(face, count).form, { face, count }));
  };
  return html`<form class="k-controls" onSubmit=${bid}>
    <fieldset>
      <legend>How many</legend>
      <${kit.Stepper} label="How many dice" value=${count} min=${least} max=${most} change=${(next) => want({ face, count: next })} />
    </fieldset>
    <fieldset>
      <legend>Of which face</legend>
      ${faces.map(
        (each) => html`<${kit.Choice} key=${each} name="face" chosen=${each === face} disabled=${!legal.includes(each)}
          choose=${() => want({ face: each, count })}>${kit.die(each)}<//>`,
      )}
    </fieldset>
    <div class="k-buttons"><button class="k-send">Bid ${bidWords(count, face, kit)}</button>${besides}</div>
  </form>`;
}
