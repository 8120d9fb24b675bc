// How Chamber looks, and how a person moves.

const RESULTS = { live: "It was live", blank: "It was blank" };

// A shot: before it is heard the table stands as it was.
export function beats(scene, before) {
  const isShot = scene.events.some(({ kind }) => kind === "shoot_player");
  return isShot && scene.state && before.state ? [{ state: before.state, own: before.own }] : [];
}

export function board(scene, seat, kit) {
  if (!scene.beat) return drawn(scene, seat, kit);
  const said = scene.said.map((each, who) => (scene.acted.includes(who) ? "aims" : each));
  return drawn({ ...scene, ...scene.beat, said }, seat, kit);
}

function drawn(scene, seat, kit) {
  if (!scene.state) return kit.html`<p>The rules failed here, so there is nothing to show.</p>`;
  return kit.table(scene, seat, { centre: centre(scene, kit), place: (each) => place(scene, each, kit) });
}

// The middle of the table.

function centre(scene, kit) {
  const { html } = kit;
  const { live_left: live, blank_left: blank, roundNumber, current_player: current } = scene.state;
  const known = [scene.state, ...scene.own].map((own) => own?.known_next).find(Boolean) ?? null;
  return html`<div class="chamber-centre">
    ${scene.ranks ? kit.winners(scene) : html`<p class="k-title">Round ${roundNumber}</p>`}
    ${live + blank ? kit.chamber({ live, blank, next: known }) : html`<p class="k-note">The chamber is empty.</p>`}
    ${known ? html`<p class="k-note">${scene.viewer === "all" ? `${current} knows that the next shell is ${known}.` : `The next shell is ${known}.`}</p>` : null}
    ${effects(scene, kit)}
    ${news(scene, kit).map((each, at) => html`<p key=${at} class="k-verdict chamber-news">${each}</p>`)}
    ${scene.state.asked === "rebalance" ? html`<p class="k-note">Before the first turn: whoever has a Rebalancer may add shells.</p>` : null}
    ${suddenDeath(scene, html)}
  </div>`;
}

function effects({ state: { double_damage: isDouble, quickshot: isQuick } }, kit) {
  if (!isDouble && !isQuick) return null;
  return kit.html`<ul class="chamber-effects">
    ${isDouble ? kit.html`<li>${kit.item("DoubleDamage", { on: true })} a live shell takes two lives</li>` : null}
    ${isQuick ? kit.html`<li>${kit.item("Quickshot", { on: true })} the next shot does not end the turn</li>` : null}
  </ul>`;
}

// What happened in this step, in the middle of the table: shots, and shells that were added.
function news(scene, kit) {
  const { html } = kit;
  const shot = kit.told(scene, "shoot_player");
  const added = kit.told(scene, "rebalanced");
  const gone = kit.told(scene, "eliminated");
  const said = [];
  if (scene.beat) {
    const whom = shot.player === shot.target ? "itself" : shot.target;
    return [html`<span class="chamber-shot">${kit.shell(null)}<span><b>${shot.player}</b> aims at <b>${whom}</b> …</span></span>`];
  }
  if (shot) {
    const whom = shot.player === shot.target ? "themselves" : shot.target;
    said.push(html`<span class="chamber-shot">${kit.shell(shot.fired)}<span><b>${shot.player}</b> shot <b>${whom}</b>. ${RESULTS[shot.fired]}.</span></span>`);
  }
  if (gone?.killer && gone.items.length) said.push(`${gone.killer} takes over ${namesOf(gone.items, kit)}.`);
  const ammo = Object.fromEntries(scene.events.filter(({ kind }) => kind === "use_rebalancer_item").map(({ fields }) => [fields.player, fields.ammo]));
  for (const [who, kind] of Object.entries(ammo)) said.push(`${who} adds ${kind} shells.`);
  if (added) said.push(`${kit.listed(added.added.map(([who, count]) => `${who} added ${kit.counted(count, "shell")}`))}; the chamber was shuffled.`);
  return said;
}

function suddenDeath({ rules, state: { roundNumber }, ranks }, html) {
  const left = rules.sudden_death_after - roundNumber;
  if (ranks || left > 1) return null;
  const said = left < 0 ? "Sudden death: no more Add Life." : `Sudden death from round ${rules.sudden_death_after + 1} on: no more Add Life.`;
  return html`<p class="k-note">${said}</p>`;
}

// A player.

function place(scene, seat, kit) {
  const name = scene.names[seat];
  const player = scene.state.players[seat];
  return kit.place(scene, seat, {
    stats: player.lives ? kit.lives(player.lives) : null,
    note: player.isSkipped ? "misses the next turn" : null,
    said: scene.said[seat].replace(/, leaving .*/, ""), // that is said at whom it hit
    body: player.items.length ? bag(player.items, kit) : null,
    ...resultOf(scene, name, kit),
  });
}

function bag(items, kit) {
  return kit.html`<ul class="chamber-items" aria-label="items">${[...countsOf(items)].map(([item, count]) => kit.html`<li key=${item}>${kit.item(item, { count })}</li>`)}</ul>`;
}

function resultOf(scene, name, kit) {
  if (scene.beat) return {};
  const shot = kit.told(scene, "shoot_player");
  const missed = scene.events.some(({ kind, fields }) => kind === "skipped" && fields.player === name);
  const stolen = kit.told(scene, "use_steal_item");
  if (shot?.target === name && shot.fired === "live") {
    return { lost: shot.lives ? `hit, ${kit.counted(shot.lives, "life", "lives")} left` : "hit, and out" };
  }
  if (missed) return { lost: "misses a turn" };
  if (stolen?.target === name) return { lost: `loses ${kit.itemWords(stolen.item)}` };
  return {};
}

// Words.

function countsOf(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

const namesOf = (items, kit) =>
  kit.listed([...countsOf(items)].map(([item, count]) => (count > 1 ? `${kit.itemWords(item)} ×${count}` : kit.itemWords(item))));

// How a person moves: one button for each shot and item, and where an item needs it another one for its target.

const ITEMS = {
  UseSkipItem: ["Skip", "skips the next turn of another player"],
  UseDoubleDamageItem: ["DoubleDamage", "the next shot takes two lives, if it is live"],
  UseChamberCheckItem: ["ChamberCheck", "you alone learn the next shell"],
  UseQuickshotItem: ["Quickshot", "your next shot does not end your turn"],
  UseAddLifeItem: ["AddLife", "one life more"],
  UseStealItem: ["Steal", "use an item of another player at once"],
};

// What a step says of chance: how often the next shell is live, to whoever has not looked at it.
export function chances({ state, asked, ranks }, kit) {
  const { live_left: live, blank_left: blank } = state ?? {};
  if (ranks || !asked.length || state.asked !== "turn" || !(live + blank)) return [];
  return [`The next shell is live in ${kit.percent(live / (live + blank))} of all orders: ${kit.numberWord(live)} live, ${kit.numberWord(blank)} blank`];
}

export function controls({ scene, seat, options, send }, kit) {
  if (!options?.length || seat === null) return null;
  return kit.html`<${Moving} key=${scene.step} ...${{ scene, seat, options, send, kit }} />`;
}

function Moving({ scene, seat, options, send, kit }) {
  const { html, useState } = kit;
  const [chosen, choose] = useState(null); // an item that needs a target: { kind, stolen: the option of what is stolen, owner of that }
  const own = scene.names[seat];
  const act = (option, fields = {}) => send(withoutNulls(kit.filled(option.form, fields)));
  const of = (kind) => options.filter((option) => option.kind === kind);
  const [rebalancer] = of("UseRebalancerItem");
  if (rebalancer) return html`<div class="k-controls chamber-moves">${inWindow(rebalancer, of("Pass")[0], act, kit)}</div>`;
  const use = (kind, option) => (kind === "UseSkipItem" || kind === "UseStealItem" ? choose({ kind }) : act(option));
  const kinds = Object.keys(ITEMS).filter((kind) => of(kind).length);
  if (chosen) {
    return html`<div class="k-controls chamber-moves" onKeyDown=${(event) => { if (event.key === "Escape") choose(null); }}>
      <fieldset class="chamber-target">${targetsOf(chosen, of, act, choose, kit)}
        <button type="button" data-part="back" onClick=${() => choose(null)}>Back</button></fieldset></div>`;
  }
  return html`<div class="k-controls chamber-moves">
    ${of("ShootPlayer").map((option) => html`<fieldset key="shoot"><legend>Shoot</legend>
      ${option.fields.target.one_of.map((name) => html`<button key=${name} type="button" data-part="shoot" class=${name === own ? "" : "k-send"}
        onClick=${() => act(option, { target: name })}>${name === own ? "Yourself" : html`<bdi>${name}</bdi>`}</button>`)}
    </fieldset>`)}
    ${kinds.length ? html`<fieldset key="items" class="chamber-choice"><legend>Or use an item</legend>
      ${kinds.map((kind) => html`<button key=${kind} type="button" data-part="item" title=${ITEMS[kind][1]} class="chamber-item"
        onClick=${() => use(kind, of(kind)[0])}>${kit.item(ITEMS[kind][0], { count: ownedOf(scene, seat, ITEMS[kind][0]) })}<small>${ITEMS[kind][1]}</small></button>`)}
    </fieldset>` : null}
  </div>`;
}

function inWindow(option, pass, act, kit) {
  const { html } = kit;
  return html`<fieldset><legend>Use a Rebalancer? It adds one to six shells of the kind that you choose.</legend>
    ${option.fields.ammo.one_of.map((ammo) => html`<button key=${ammo} type="button" data-part="add" class="chamber-add" onClick=${() => act(option, { ammo })}>${kit.shell(ammo)} Add ${ammo} shells</button>`)}
    <button type="button" data-part="pass" onClick=${() => act(pass)}>Pass</button></fieldset>`;
}

// What has to be chosen for an item, one thing after the other.
function targetsOf({ kind, stolen, owner }, of, act, choose, kit) {
  const { html } = kit;
  const names = (legend, among, then) => html`<legend>${legend}</legend>
    ${among.map((name) => html`<button key=${name} type="button" data-part="target" onClick=${() => then(name)}><bdi>${name}</bdi></button>`)}`;
  if (kind === "UseSkipItem") return names(WHOSE_TURN, of(kind)[0].fields.target.one_of, (target) => act(of(kind)[0], { target }));
  if (owner) {
    const fields = { item: "Skip", target: owner };
    return names(WHOSE_TURN, stolen.fields.skip_target.one_of, (target) => act(stolen, { ...fields, skip_target: target }));
  }
  const take = (option, target) => {
    const [item] = option.fields.item.one_of;
    if (item === "Skip") choose({ kind, stolen: option, owner: target });
    else act(option, { item, target, skip_target: null });
  };
  if (stolen) return names("From whom?", stolen.fields.target.one_of, (target) => take(stolen, target));
  return html`<legend>Steal what?</legend>
    ${of(kind).map((option) => [option, option.fields.item.one_of[0], option.fields.target.one_of]).map(([option, item, [first, ...others]]) => html`<button key=${item} type="button"
      data-part="target" class="chamber-steal" onClick=${() => (others.length ? choose({ kind, stolen: option }) : take(option, first))}>
      ${kit.item(item)} ${others.length ? "…" : html`from <bdi>${first}</bdi>`}</button>`)}`;
}

const WHOSE_TURN = "Whose next turn is lost?";

const ownedOf = (scene, seat, item) => scene.state.players[seat].items.filter((each) => each === item).length;

// What does not apply is left out of a move.
const withoutNulls = (move) =>
  typeof move === "object" ? Object.fromEntries(Object.entries(move).filter(([, value]) => value !== null)) : move;

export const style = `
.chamber-centre { display: grid; gap: .5rem; justify-items: center; text-align: center; min-width: 0; width: 100%; }
.chamber-effects { list-style: none; margin: 0; padding: 0; display: grid; gap: .25rem; font-size: .88rem; color: var(--soft); }
.chamber-effects li { display: flex; flex-wrap: wrap; gap: .1rem .4rem; align-items: center; justify-content: center; }
.chamber-shot { display: inline-flex; gap: .5rem; align-items: center; text-align: left; }
.chamber-items { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem; min-width: 0; }
.k-slot:not(.is-bottom):is([data-seats="5"] *, [data-seats="6"] *, [data-seats="7"] *) .k-item > span { position: absolute; clip-path: inset(50%); width: 1px; overflow: hidden; }
@container board (max-width: 39.99rem) {
  .k-slot:not(.is-bottom) .chamber-items .k-item > span { position: absolute; clip-path: inset(50%); width: 1px; overflow: hidden; }
  .chamber-effects, .chamber-effects .k-item { font-size: .68rem; }
}
.chamber-choice { display: grid !important; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr)); }
.chamber-choice > legend { grid-column: 1 / -1; max-width: none !important; }
.chamber-moves button { max-width: 100%; }
.chamber-item { display: grid; justify-items: start; align-content: center; text-align: left; gap: .1rem; padding: .2rem .5rem !important; }
.chamber-item .k-item, .chamber-steal .k-item { border: 0; padding: 0; font-size: 1rem; }
.chamber-item small { color: var(--soft); font-size: .8rem; line-height: 1.25; }
.chamber-add, .chamber-steal { display: inline-flex; gap: .45rem; align-items: center; }
@media (max-width: 44rem) { .chamber-choice { display: flex !important; } .chamber-item small { display: none; } }
.chamber-target { border-left: 3px solid var(--accent) !important; padding-left: .7rem !important; }
`;
