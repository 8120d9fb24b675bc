"use strict";
// The viewer of matches and the switch of light and dark.  Names and moves are only ever set as text.
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const keep = (value) => { try { localStorage.setItem("arena-theme", value); } catch { /* a page from a file may not */ } };
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.hidden = false; };
  try { root.dataset.theme = localStorage.getItem("arena-theme") || ""; } catch { /* nothing was kept */ }
  if (!root.dataset.theme) delete root.dataset.theme;
  name();
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; keep(root.dataset.theme); name(); });

  const holder = document.getElementById("scenes");
  const viewer = document.getElementById("viewer");
  if (!holder || !viewer) return;
  const scenes = JSON.parse(holder.textContent);
  const part = (which) => viewer.querySelector(`[data-part="${which}"]`);
  const ALL = -2, SPECTATOR = -1, ADDRESS_DELAY_MS = 400;
  let scene = null, at = 0, view = ALL;

  const make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  // What the slots show after a step: changes add up from the first one on.
  function faceAt(step) {
    const face = new Map();
    for (let i = 0; i <= step; i++) {
      const changes = scene.steps[i][3];
      for (let k = 0; k < changes.length; k += 3) {
        const slot = changes[k], label = changes[k + 1], value = changes[k + 2];
        if (!face.has(slot)) face.set(slot, new Map());
        if (value === null) face.get(slot).delete(label); else face.get(slot).set(label, { value, isNew: i === step });
      }
    }
    return face;
  }

  // The [label, value] pairs of a slot, always in the same order.
  function entriesOf(face, slot) {
    const pairs = [...(face.get(slot) || [])].sort((a, b) => a[0] - b[0]);
    return pairs.map(([label, each]) => [scene.labels[label], each]);
  }

  function shown(value) {
    if (typeof value === "string") return [document.createTextNode(value.replace(/_/g, " "))];
    const chips = value.length === 1 ? value[0].split(" ") : value.slice(0, -1);
    return chips.map((chip) => make("span", chip, "chip"));
  }

  function entry(label, { value, isNew }, kind) {
    const row = make("div"), said = make("dd", undefined, kind || "");
    if (isNew && kind !== "hidden") said.classList.add("new");
    if (kind === "hidden") said.textContent = "hidden"; else said.append(...shown(value));
    row.append(make("dt", label), said);
    if (typeof value !== "string" || label.length + value.length > 30) row.className = "wide";
    return row;
  }

  const maySee = (seat) => view === ALL || view === seat;

  function seatCard(face, seat, acting) {
    const card = make("div", undefined, "place" + (acting.includes(seat) ? " acts" : ""));
    const title = make("h4", scene.bots[seat]);
    if (acting.includes(seat)) title.append(make("small", "to move"));
    const list = make("dl");
    for (const [label, each] of entriesOf(face, scene.bots.length + seat)) {
      const row = entry(label, each, maySee(seat) ? "own" : "hidden");
      list.append(...row.childNodes);
    }
    for (const [label, each] of entriesOf(face, seat)) list.append(...entry(label, each).childNodes);
    card.append(title, list);
    return card;
  }

  function tableCard(face) {
    const card = make("div", undefined, "place table"), list = make("dl");
    for (const [label, each] of entriesOf(face, -1)) list.append(entry(label, each));
    card.append(make("h4", "Table"), list);
    return list.childNodes.length ? card : null;
  }

  function told(mask) {
    if (view === ALL) return true;
    return Boolean(mask & (1 << (view === SPECTATOR ? scene.bots.length : view)));
  }

  function secrecy(mask, seat) {
    const knowing = scene.bots.filter((_, each) => mask & (1 << each));
    if (!knowing.length) return "(shown in this view only)";
    return seat >= 0 && knowing.length === 1 ? "(in secret)" : `(told to ${knowing.join(", ")})`;
  }

  function line([mask, seat, text, fault], isNow) {
    const item = make("li", undefined, isNow ? "now" : "");
    if (seat >= 0) item.append(make("b", scene.bots[seat]), " ");
    item.append(text);
    const isPublic = mask & (1 << scene.bots.length); // what a spectator is told
    if (view === ALL && !isPublic) item.append(" ", make("span", secrecy(mask, seat), "only"));
    if (fault && maySee(seat)) item.append(" ", make("span", `fault: ${fault}`, "warn"));
    return item;
  }

  function log() {
    const lines = [];
    for (let i = 0; i <= at; i++) {
      if (i && scene.steps[i][0] > scene.steps[i - 1][0] + 1) lines.push(make("li", "some rounds left out", "gap"));
      for (const each of scene.steps[i][2]) if (told(each[0])) lines.push(line(each, i === at));
    }
    if (!lines.length) lines.push(make("li", "the match begins", "now"));
    return lines;
  }

  function show() {
    const last = scene.steps.length - 1, [turn, acting] = scene.steps[at];
    const face = faceAt(at), table = tableCard(face);
    part("seats").replaceChildren(...(table ? [table] : []), ...scene.bots.map((_, seat) => seatCard(face, seat, acting)));
    const list = part("log");
    list.replaceChildren(...log());
    list.scrollTop = list.scrollHeight;
    part("slider").max = last;
    part("slider").value = at;
    part("slider").setAttribute("aria-valuetext", `step ${at + 1} of ${last + 1}`);
    part("link").href = address();
    part("where").textContent = `Step ${at + 1} of ${last + 1}${turn >= 0 ? `, turn ${turn}` : ", before the first move"}`;
    const held = document.activeElement;
    for (const [which, step] of [["first", 0], ["back", 0], ["next", last], ["last", last]]) part(which).disabled = at === step;
    if (held.disabled) viewer.focus({ preventScroll: true });  // or the keys would go nowhere
  }

  const address = () => `#match-${scene.id}&step=${at + 1}`;

  function go(step) {
    at = Math.max(0, Math.min(scene.steps.length - 1, step));
    show();
  }

  // The address follows a moment later: browsers refuse more than about a hundred changes in 30 s.
  let keeping = 0;
  function stepTo(step) {
    go(step);
    clearTimeout(keeping);
    keeping = setTimeout(() => {
      if (!viewer.offsetParent) return;  // a bot's page is shown by now, and the address is its own
      try { history.replaceState(null, "", address()); } catch { /* an address that stays is no harm */ }
    }, ADDRESS_DELAY_MS);
  }

  function choices() {
    const legend = make("legend", "View");
    const every = [[ALL, "everything"], [SPECTATOR, "a spectator"], ...scene.bots.map((bot, seat) => [seat, bot])];
    return [legend, ...every.map(([value, text]) => {
      const label = make("label", text), input = make("input");
      Object.assign(input, { type: "radio", name: "view", checked: value === view });
      input.addEventListener("change", () => { view = value; show(); });
      label.prepend(input);
      return label;
    })];
  }

  function open(chosen, step) {
    if (chosen !== scene) view = ALL;
    scene = chosen;
    for (const row of document.querySelectorAll("tr[data-match]")) row.classList.toggle("open", row.dataset.match === scene.id);
    const order = scene.bots.map((bot, seat) => [scene.ranks[seat], bot, scene.returns[seat]]).sort((a, b) => a[0] - b[0]);
    part("title").textContent = scene.bots.join(scene.bots.length > 2 ? ", " : " against ");
    part("result").textContent = `${order.map(([rank, bot, returns]) => `${rank}. ${bot} (${returns})`).join(", ")} · match ${scene.id}`;
    part("why").textContent = [scene.why, scene.note].filter(Boolean).join(". ");
    part("views").replaceChildren(...choices());
    go(step);
    viewer.hidden = false;
  }

  part("first").addEventListener("click", () => stepTo(0));
  part("back").addEventListener("click", () => stepTo(at - 1));
  part("next").addEventListener("click", () => stepTo(at + 1));
  part("last").addEventListener("click", () => stepTo(scene.steps.length - 1));
  part("slider").addEventListener("input", (event) => stepTo(Number(event.target.value)));

  // Whether most of the viewer is in sight, or most of the window shows it.
  function isInSight() {
    const { top, bottom, height } = viewer.getBoundingClientRect();
    return height > 0 && Math.min(bottom, innerHeight) - Math.max(top, 0) >= Math.min(height, innerHeight) / 2;
  }

  // Who has the focus and needs the arrows: fields, and boxes that scroll sideways, with all that is in them.
  function needsArrows(element) {
    const box = element.closest(".box");
    return element.closest("input, select, textarea, [contenteditable]") || (box && box.scrollWidth > box.clientWidth);
  }

  // ← and → do nothing else on a page as wide as the window; Home and End do, so they need the focus here.
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const held = event.target instanceof Element ? event.target : document.body;
    const step = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: scene.steps.length - 1 }[event.key];
    if (step === undefined || needsArrows(held) || !isInSight()) return;
    if (event.key.startsWith("Arrow") || viewer.contains(held)) { event.preventDefault(); stepTo(step); }
  });

  // `#match-ID` leads to a match, `#match-ID&step=N` to one of its steps as the viewer counts them.
  const follow = () => {
    const [, id, step] = /^#match-([^&]*)(?:&step=(\d+))?/.exec(location.hash) || [];
    const chosen = scenes.find((each) => each.id === id);
    if (!chosen) return;
    clearTimeout(keeping);
    open(chosen, step ? step - 1 : 0);
    viewer.scrollIntoView();
    viewer.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  open(scenes[0], 0);
  follow();
})();
