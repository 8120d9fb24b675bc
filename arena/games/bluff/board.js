// How Bluff looks, and how a person plays and accuses.

const KINDS = {
  A: ["ace", "aces"], T: ["ten", "tens"], J: ["jack", "jacks"], Q: ["queen", "queens"], K: ["king", "kings"],
  C: ["club", "clubs"], D: ["diamond", "diamonds"], H: ["heart", "hearts"], S: ["spade", "spades"],
};
const CLAIMED_MAX = 8; // cards of a claim that are drawn; more are a number
const CROPPED_MIN = 14; // more cards to choose from show their upper half alone,
const FLAT_MAX = 21; // still more of them lie by ranks on a phone, of which one is open,
const WIDE_MAX = 35; // and of so many also beside a board that is not high
const BACKS_MAX = 14; // of a hand that are drawn; how many there are is written above

export const spells = "cards"; // its sentences name cards by two characters

// An accusation: how many of the cards just played have been turned over.
export function beats({ events, shown }, { state, own }) {
  const isNow = shown?.kind === "challenge" && events.some(({ kind }) => kind === "challenge");
  return isNow ? shown.fields.cards.map((_, count) => ({ turned: count, before: { state, own } })) : [];
}

export function board(scene, seat, kit) {
  return drawn({ ...scene, ...scene.beat?.before }, seat, kit);
}

function drawn(scene, seat, kit) {
  if (!scene.state) return kit.html`<p>The rules failed here, so there is nothing to show.</p>`;
  const challenge = scene.shown?.kind === "challenge" ? scene.shown.fields : null;
  return kit.table(scene, seat, {
    centre: centre(scene, challenge, kit),
    place: (each) => place(scene, each, seat, challenge, kit),
  });
}

// What is claimed.

// One and many of a rank or a suit; ranks from 2 to 9 are said by their digits.
const kindWord = (claim, many) => (KINDS[claim] ?? [claim, `${claim}s`])[many ? 1 : 0];
const claimWords = (count, claim, kit) => `${kit.numberWord(count)} ${kindWord(claim, count !== 1)}`;
const isAs = (card, claim, rules) => card[rules.claims === "free_suit" ? 1 : 0] === claim;

// A card of which only this is said; "K*" has no suit, "*S" no rank.
const spoken = (claim, rules) => (rules.claims === "free_suit" ? `*${claim}` : `${claim}*`);

// The middle of the table.

function centre(scene, challenge, kit) {
  const { html } = kit;
  const { pile_size: size } = scene.state;
  return html`<div class=${kit.classes("bluff-centre", scene.rules.claims !== "sequence" && "is-free")}>
    ${challenge ? verdict(scene, challenge, kit) : claimed(scene, kit)}
    ${size ? html`<div class="bluff-pile">${kit.pile(size)}<span>on the pile</span></div>` : html`<p class="k-note">The pile is empty.</p>`}
    ${next(scene, challenge, kit)}
  </div>`;
}

// The play that may be accused now, or the last one.
function claimed(scene, kit) {
  const { html } = kit;
  const { last_play: play, asked } = scene.state;
  if (scene.ranks) return kit.winners(scene);
  if (!play || (asked === "play" && !kit.told(scene, "unchallenged"))) return null;
  const words = claimWords(play.count, play.claim, kit);
  if (asked === "play") return html`<p class="k-verdict">Nobody doubts ${play.player}’s ${play.count === 1 ? kindWord(play.claim, false) : words}.</p>`;
  return html`${claimCards(scene, play, kit)}
    <p class="k-title">“${words}”</p>
    <p class="k-note">claimed by ${play.player}. True, or a bluff?</p>`;
}

function claimCards({ rules }, { count, claim }, kit) {
  const label = `claimed: ${claimWords(count, claim, kit)}`;
  const card = spoken(claim, rules);
  if (count <= CLAIMED_MAX) return kit.cards(Array(count).fill(card), { claimed: true, loose: true, label });
  return kit.html`<span class="k-row"><b class="k-figure">${count} ×</b>${kit.card(card, { claimed: true, label })}</span>`;
}

// The accusation: the cards that were shown, each true or not, and who takes the pile.
function verdict(scene, { accuser, player, claim, cards, bluff, taker, pile_size: size }, kit) {
  const { html } = kit;
  const isTrue = (card) => card !== null && isAs(card, claim, scene.rules);
  if (scene.beat) {
    const turned = cards.map((card, at) => (at < scene.beat.turned ? card : null));
    return html`<p class="k-note">${accuser} accuses ${player} of bluffing. The claim was ${claimWords(cards.length, claim, kit)}.</p>
      ${kit.cards(turned, { loose: true, small: cards.length > 6, marked: isTrue, number: (card) => (card === null ? "\u00a0" : isTrue(card) ? "✓" : "✗") })}
      <p class="k-title">…</p><p class="k-verdict"> </p>`;
  }
  const label = cards.map((card) => `${kit.cardWords(card)}, ${isTrue(card) ? "as claimed" : "not as claimed"}`).join("; ");
  return html`<p class="k-note">${accuser} accuses ${player} of bluffing. The claim was ${claimWords(cards.length, claim, kit)}.</p>
    ${kit.cards(cards, { loose: true, small: cards.length > 6, label, marked: isTrue, number: (card) => (isTrue(card) ? "✓" : "✗") })}
    <p class="k-title">${bluff ? "A bluff!" : "As claimed."}</p>
    <p class="k-verdict">${taker} takes the pile of ${kit.counted(size, "card")}</p>
    ${scene.ranks ? kit.winners(scene) : null}`;
}

function next(scene, challenge, kit) {
  const { asked, current_player: current, claim_due: due } = scene.state;
  if (scene.ranks || scene.beat || asked !== "play") return null;
  const what = due ? kindWord(due, true) : scene.rules.claims === "free_suit" ? "a suit" : "a rank";
  const isFirst = !challenge && !scene.state.last_play;
  const title = html => html`<b>${current}</b> plays ${isFirst ? "first" : "next"} and claims ${what}`;
  return kit.html`<p class=${challenge ? "k-note" : "bluff-next"}>${title(kit.html)}</p>`;
}

// A player.

function place(scene, seat, bottom, challenge, kit) {
  const { state } = scene;
  const name = scene.names[seat];
  const count = Object.fromEntries(state.hand_sizes)[name];
  const isAccused = state.asked === "accuse" && state.current_player === name;
  return kit.place(scene, seat, {
    stats: count === 1 ? "1 card" : `${count} cards`,
    // All others are asked whether they accuse: only the one who looks needs to be told.
    turn: scene.asked.includes(seat) && (state.asked === "play" || seat === bottom),
    note: isAccused && !scene.ranks ? "claims" : null,
    said: saidOf(scene, seat, isAccused, challenge),
    lost: challenge?.taker === name && !scene.beat ? `takes ${kit.counted(challenge.pile_size, "card")}` : null,
    body: isChoosing(scene, seat) ? null : handOf(scene, seat, count, seat !== bottom, kit),
  });
}

// What a seat just did; the match is one round, so the rest is long ago.  What an accusation showed is in the centre.
function saidOf(scene, seat, isAccused, challenge) {
  if (challenge?.accuser === scene.names[seat]) return `accuses ${challenge.player}`;
  return scene.acted.includes(seat) || isAccused ? scene.said[seat].replace(/, with \S+ cards? left$/, "") : ""; // which its place says
}

// Whether the seat's cards lie in its controls, where it chooses from them.
function isChoosing({ live, viewer, state, asked, step, steps }, seat) {
  return live && viewer === seat && state.asked === "play" && asked.includes(seat) && step === steps - 1;
}

function handOf(scene, seat, count, small, kit) {
  const hand = scene.own[seat]?.hand;
  if (hand?.length) return kit.cards(hand, { small });
  if (!count) return null;
  return kit.cards(Math.min(count, BACKS_MAX), { small: true, label: `${kit.counted(count, "card")} face down` });
}

// How a person plays: cards are chosen one by one, then played together; accusing takes one button.

export function controls({ scene, seat, options, send }, kit) {
  if (!options?.length || seat === null) return null;
  const [play] = options.filter(({ kind }) => kind === "Play");
  const accusing = options.some(({ kind }) => kind === "Accuse");
  return kit.html`
    ${accusing ? kit.html`<${Accusing} key=${`accuse${scene.step}`} ...${{ scene, options, send, kit, early: Boolean(play) }} />` : null}
    ${play ? kit.html`<${Playing} key=${`play${scene.step}`} ...${{ scene, option: play, send, kit }} />` : null}`;
}

function Accusing({ scene, options, send, kit, early }) {
  const { html } = kit;
  const { last_play: play } = scene.state;
  const act = (kind) => send(options.find((option) => option.kind === kind).form);
  const hear = (event) => {
    const kind = { p: "Pass", b: "Accuse" }[event.key.toLowerCase()];
    if (kind && !event.altKey && !event.ctrlKey && !event.metaKey) act(kind);
  };
  return html`<div class="k-controls bluff-moves" onKeyDown=${hear}>
    <p><bdi>${play.player}</bdi> claims ${claimWords(play.count, play.claim, kit)}.</p>
    <div class="k-buttons">
      <button type="button" data-part="pass" onClick=${() => act("Pass")}>Pass <kbd>P</kbd></button>
      <button type="button" data-part="accuse" class="k-send" onClick=${() => act("Accuse")}>Bluff! <kbd>B</kbd></button>
    </div>
    ${early ? html`<p class="k-note">You are next: the others may answer until you do. Playing now is a pass.</p>` : null}
  </div>`;
}

function Playing({ scene, option, send, kit }) {
  const { html, useState } = kit;
  const { subset_of: hand, most } = option.fields.cards;
  const claims = option.fields.claim.one_of.filter((claim) => claim !== null);
  const isFree = claims.length > 1;
  const [chosen, choose] = useState([]);
  const [wanted, want] = useState(null);
  const kind = (card) => card[scene.rules.claims === "free_suit" ? 1 : 0];
  const claim = isFree ? wanted ?? (chosen.length ? kind(chosen[0]) : null) : claims[0];
  const fitting = claim ? hand.filter((card) => kind(card) === claim) : [];
  const toggle = (card) => choose(hand.filter((each) => (each === card) !== chosen.includes(each)));
  const play = (event) => {
    event.preventDefault();
    if (!chosen.length || chosen.length > most || !claim) return;
    send(isFree ? kit.filled(option.form, { cards: chosen, claim }) : { play: chosen });
  };
  return html`<form class="k-controls bluff-moves" onSubmit=${play}>
    <${Hand} ...${{ hand, chosen, toggle, kit }} />
    ${isFree ? html`<${Claims} ...${{ claims, claim, want, kit }} />` : null}
    <div class="k-buttons">
      <button type="submit" data-part="play" class="k-send" disabled=${!chosen.length || !claim}>${chosen.length && claim ? `Play ${kit.counted(chosen.length, "card")} as “${claimWords(chosen.length, claim, kit)}”` : "Play"}</button>
      ${fitting.length ? html`<button type="button" data-part="fitting" onClick=${() => choose(fitting)}>Choose ${fitting.length === 1 ? `the ${kindWord(claim, false)}` : `all ${claimWords(fitting.length, claim, kit)}`}</button>` : null}
      ${chosen.length ? html`<button type="button" data-part="none" onClick=${() => choose([])}>Choose none</button>` : null}
    </div>
    <output aria-live="polite">${sentence(chosen, claim, fitting, kit)}</output>
  </form>`;
}

function sentence(chosen, claim, fitting, kit) {
  if (!chosen.length) return claim ? `The claim is ${kindWord(claim, true)}: choose the cards to lay face down.` : "Choose the cards to lay face down.";
  const lies = chosen.filter((card) => !fitting.includes(card)).length;
  const what = lies === 0 ? "true" : lies === chosen.length ? "a bluff" : `a bluff, as ${kit.numberWord(lies)} of them ${lies === 1 ? "is" : "are"} not`;
  return `You lay ${kit.listed(chosen.map(kit.cardWords))} face down and claim ${claimWords(chosen.length, claim, kit)}: ${what}.`;
}

// The cards as buttons; arrows go from card to card, a rank's letter or digit to the next card of that rank.  The style
// says whether all of a large hand are shown, or a button for each rank and the cards of the one at which somebody is.
function Hand({ hand, chosen, toggle, kit }) {
  const { html, useEffect, useRef, useState } = kit;
  const [at, move] = useState(0);
  const box = useRef(null), isHidden = useRef(false);
  const buttonOf = (card) => box.current.querySelector(`[data-card="${card}"]`);
  const here = hand[Math.min(at, hand.length - 1)];
  const go = (event, to) => {
    event.preventDefault();
    move(to);
    buttonOf(hand[to]).focus();
    isHidden.current = !buttonOf(hand[to]).matches(":focus");
  };
  useEffect(() => { // once its rank is open
    if (isHidden.current) buttonOf(here).focus();
    isHidden.current = false;
  });
  const hear = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const ends = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: hand.length - 1 };
    if (event.key in ends) go(event, Math.max(0, Math.min(hand.length - 1, ends[event.key])));
    const rank = event.key.toUpperCase();
    const later = hand.map((_, by) => (at + 1 + by) % hand.length).find((place) => hand[place][0] === rank);
    if (later !== undefined) go(event, later);
  };
  const one = (card) => html`<button key=${card} type="button" data-card=${card} tabindex=${card === here ? 0 : -1}
    class=${card[0] === here[0] ? "is-open" : ""} aria-pressed=${chosen.includes(card)} aria-label=${kit.cardWords(card)}
    onFocus=${() => move(hand.indexOf(card))} onClick=${() => toggle(card)}>${kit.card(card)}</button>`;
  const ranks = hand.length > FLAT_MAX ? [...new Set(hand.map(([rank]) => rank))] : [];
  return html`<div class=${kit.classes("bluff-hand", hand.length > CROPPED_MIN && "is-cropped", ranks.length && "bluff-many", hand.length > WIDE_MAX && "bluff-most")} role="group" aria-label="your cards" ref=${box} onKeyDown=${hear}>
    ${ranks.map((rank) => html`<${Rank} key=${rank} ...${{ rank, hand, chosen, isOpen: rank === here[0], open: () => move(hand.findIndex((card) => card[0] === rank)), kit }} />`)}
    ${hand.map(one)}
  </div>`;
}

// The button that shows the cards of a rank: how many there are, and how many of them are chosen.
function Rank({ rank, hand, chosen, isOpen, open, kit }) {
  const [all, taken] = [hand, chosen].map((cards) => cards.filter((card) => card[0] === rank).length);
  const label = `${claimWords(all, rank, kit)}${taken ? `, ${kit.numberWord(taken)} chosen` : ""}`;
  return kit.html`<button type="button" class=${kit.classes("bluff-rank", taken && "is-taken")} data-rank=${rank} aria-expanded=${String(isOpen)} aria-label=${label} onClick=${open}>
    <b>${rank === "T" ? "10" : rank}</b><small>${taken ? `${taken} of ${all}` : `× ${all}`}</small></button>`;
}

function Claims({ claims, claim, want, kit }) {
  return kit.html`<fieldset><legend>Claim</legend>
    ${claims.map((each) => kit.html`<label class="k-choice" key=${each}>
      <input type="radio" name="claim" value=${each} checked=${each === claim} onChange=${() => want(each)} />${kindWord(each, true)}</label>`)}
  </fieldset>`;
}

// A button for each rank, and below them the cards of the one that is open.
const byRanks = (which) => `.${which} { display: grid; grid-template-columns: repeat(auto-fill, minmax(2.75rem, 1fr)); gap: 1px; }
  .${which} .bluff-rank { display: block; }
  .${which} > [data-card] { display: none; grid-row: 4; }
  .${which} > .is-open { display: block; }`;

export const style = `
.stage:has([data-game="bluff"]) { --dock-height: 15.5rem; }
.stage:has(.bluff-centre.is-free) { --dock-height: 18.6rem; }
.bluff-centre { display: grid; gap: .5rem; justify-items: center; text-align: center; min-width: 0; }
.bluff-centre > .k-row { justify-content: center; max-width: 100%; }
.bluff-pile { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: center; justify-content: center; color: var(--soft); font-size: .88rem; }
.bluff-moves p { margin: 0; line-height: 1.25; }
.bluff-moves .k-note { font-size: .84rem; color: var(--soft); }
.bluff-hand { display: flex; flex-wrap: wrap; gap: .25rem; padding: 3px; }
.bluff-hand button { padding: .15rem; min-width: 2.75rem; border-radius: .5rem; border-color: transparent; background: none; }
.is-cropped .k-one { display: block; height: 2.3rem; overflow: hidden; }
.bluff-hand button .k-card { margin-inline: auto; }
.bluff-hand [aria-pressed=true] { border-color: var(--accent); background: var(--shade); box-shadow: 0 0 0 1.5px var(--accent); }
.bluff-rank { display: none; }
.bluff-hand .bluff-rank { line-height: 1.1; border-color: var(--line); background: var(--card); }
.bluff-rank b, .bluff-rank small { display: block; }
.bluff-rank small { color: var(--soft); font-size: .72rem; white-space: nowrap; }
.bluff-hand .bluff-rank.is-taken { border-color: var(--accent); }
.is-taken small { color: var(--accent); font-weight: 650; }
.bluff-hand .bluff-rank[aria-expanded=true] { background: var(--shade); border-color: var(--ink); }
.bluff-moves output { color: var(--soft); font-size: .9rem; }
@media (max-width: 44rem) {
  .bluff-moves :is(output, .k-note), .bluff-moves:has(+ .bluff-moves) > p { display: none; }
  .bluff-hand { display: grid; grid-template-columns: repeat(7, minmax(2.75rem, 1fr)); gap: 1px; }
  .turn:has(.bluff-moves + .bluff-moves) > .whose { width: 5rem; gap: .3rem; font-size: .9rem; line-height: 1.1; }
  .bluff-moves:has(+ .bluff-moves) { margin: -2.75rem 0 .2rem 5rem; max-width: 7.6rem; }
  .bluff-moves:has(+ .bluff-moves) button { min-width: 2.75rem; padding-inline: .3rem; flex-basis: 3rem; }
}
@media (max-width: 60rem) { ${byRanks("bluff-many")} }
@media (max-height: 60rem) { ${byRanks("bluff-most")} }
@media (max-width: 60rem), (max-height: 60rem) { .stage:has(.is-free) .bluff-moves { gap: .25rem; } .stage:has(.is-free) .bluff-moves:has(+ .bluff-moves) > p { display: none; } }
.bluff-moves kbd { font: inherit; font-size: .75em; font-weight: 400; border: 1px solid currentColor; border-radius: .25rem; padding: 0 .3em; margin-left: .25em; opacity: .8; }
@media (pointer: coarse) { .bluff-moves kbd { display: none; } }
`;
