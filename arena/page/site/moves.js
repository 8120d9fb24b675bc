// How a person moves in any game: the legal moves as buttons, forms for large families, and words that are typed.

import { html, useState } from "../html.js";

const BUTTONS_MAX = 12; // of one family; more of them are a list
const LISTED_MAX = 100; // as the server: larger families are not in `moves`

// The families with what they list: [{ option, moves }], `moves` null where only the form says what is legal.
export function families(options, moves) {
  let place = 0;
  return options.map((option) => {
    const sizes = Object.values(option.fields).map(sizeOf);
    const size = sizes.reduce((product, each) => product * each, 1);
    if (size > LISTED_MAX) return { option, moves: null };
    place += size;
    return { option, moves: moves.slice(place - size, place) };
  });
}

function sizeOf(domain) {
  if (domain.one_of) return domain.one_of.filter((value) => value !== null).length || 1;
  return domain.subset_of ? Infinity : domain.max - domain.min + 1;
}

// A move: the form of its family with the values of its fields.
export function filled(form, values) {
  if (typeof form === "string") return /^<\w+>$/.test(form) && form.slice(1, -1) in values ? values[form.slice(1, -1)] : form;
  if (Array.isArray(form)) return form.map((each) => filled(each, values));
  if (form && typeof form === "object") return Object.fromEntries(Object.entries(form).map(([name, each]) => [name, filled(each, values)]));
  return form;
}

const spaced = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase();

// The controls of games whose board has none.
export function Moves({ options, moves, send }) {
  const found = families(options, moves);
  const few = found.filter((family) => family.moves && family.moves.length <= BUTTONS_MAX).flatMap((family) => family.moves);
  const others = found.filter((family) => !family.moves || family.moves.length > BUTTONS_MAX);
  return html`<div class="moves">
    ${few.length ? html`<div class="buttons">${few.map(({ move, words }) => html`<button type="button" key=${words} onClick=${() => send(move)}>${words}</button>`)}</div>` : ""}
    ${others.map(({ option, moves: listed }, place) => (listed
      ? html`<${Listed} key=${`${option.kind} ${place}`} option=${option} moves=${listed} send=${send} />`
      : html`<${Form} key=${`${option.kind} ${place}`} option=${option} send=${send} />`))}
  </div>`;
}

// Many moves of one family: a list to choose from.
function Listed({ option, moves, send }) {
  const [chosen, choose] = useState(0);
  const place = Math.min(chosen, moves.length - 1);
  const submit = (event) => { event.preventDefault(); send(moves[place].move); };
  return html`<form class="line" onSubmit=${submit}>
    <select aria-label=${spaced(option.kind)} value=${place} onChange=${(event) => choose(Number(event.target.value))}>
      ${moves.map(({ words }, each) => html`<option key=${each} value=${each}>${words}</option>`)}</select>
    <button class="primary">${spaced(option.kind)}</button></form>`;
}

function first(domain) {
  if (domain.one_of) return domain.one_of.includes(null) ? null : domain.one_of[0];
  return domain.subset_of ? [] : domain.min;
}

// A family that is too large for a list: a field for each of its domains.
function Form({ option, send }) {
  const names = Object.keys(option.fields);
  const [chosen, choose] = useState({});
  const values = Object.fromEntries(names.map((name) => [name, name in chosen ? chosen[name] : first(option.fields[name])]));
  const isLegal = names.every((name) => allows(option.fields[name], values[name]));
  const submit = (event) => { event.preventDefault(); if (isLegal) send(filled(option.form, values)); };
  return html`<form class="family" onSubmit=${submit}>
    ${names.map((name) => html`<${Field} key=${name} name=${spaced(name)} domain=${option.fields[name]} value=${values[name]}
      set=${(value) => choose({ ...chosen, [name]: value })} />`)}
    <button class="primary" disabled=${!isLegal}>${spaced(option.kind)}</button></form>`;
}

// Whether a value is in a domain, as the wire sends domains.
export function allows(domain, value) {
  if (domain.one_of) return domain.one_of.includes(value);
  if (domain.subset_of) return value.length >= domain.least && value.length <= domain.most;
  return Number.isInteger(value) && value >= domain.min && value <= domain.max;
}

function Field({ name, domain, value, set }) {
  if (domain.subset_of) {
    const flip = (item) => set(value.includes(item) ? value.filter((each) => each !== item) : [...value, item]);
    return html`<fieldset class="subset"><legend>${name} <small class="soft">${domain.least} to ${domain.most}</small></legend>
      ${domain.subset_of.map((item) => html`<label class="check" key=${item}><input type="checkbox" checked=${value.includes(item)} onChange=${() => flip(item)} /> ${String(item)}</label>`)}</fieldset>`;
  }
  if (domain.one_of) {
    const pick = (event) => set(domain.one_of[Number(event.target.value)]);
    return html`<label class="field"><span>${name}</span><select value=${domain.one_of.indexOf(value)} onChange=${pick}>
      ${domain.one_of.map((each, place) => html`<option key=${place} value=${place}>${each === null ? "none" : String(each)}</option>`)}</select></label>`;
  }
  return html`<label class="field"><span>${name} <small class="soft">${domain.min} to ${domain.max}</small></span>
    <input type="number" inputmode="numeric" min=${domain.min} max=${domain.max} value=${value} required onInput=${(event) => set(event.target.valueAsNumber)} /></label>`;
}

const EXAMPLES_MAX = 3;

// Some of what can be typed now, one of each family: [{ typed, means }], such as "bid 1 2", "bids two 1s".  Of a
// family that is too large for a list there is only the form, such as "bet AMOUNT".
export function examples(options, moves) {
  const kinds = [...new Set(options.map(({ kind }) => kind))];
  const found = families(options, moves).map(({ option, moves: listed }) => {
    const fields = Object.entries(option.fields).map(([name, domain]) => (listed ? firstWord(domain) : name.toUpperCase()));
    const typed = [called(option.kind, kinds), ...fields.filter((field) => field !== null)].join(" ");
    const means = listed?.[0]?.words ?? "";
    return { kind: option.kind, typed, means: means.startsWith(typed) ? "" : means };
  });
  return kinds.map((kind) => found.find((each) => each.kind === kind)).slice(0, EXAMPLES_MAX);
}

// The longest word of its name that no other family has, or all of it.
function called(kind, kinds) {
  const wordsOf = (each) => spaced(each).split(" ");
  const own = wordsOf(kind).filter((word) => kinds.every((other) => other === kind || !wordsOf(other).includes(word)));
  return own.sort((one, other) => other.length - one.length)[0] ?? wordsOf(kind).join("-");
}

// The first value, as the first of the listed moves has it; null: none needs to be said.
function firstWord(domain) {
  if (!domain.one_of) return domain.min;
  const value = domain.one_of.find((each) => each !== null) ?? null;
  return value === null ? null : String(value).split(" ")[0];
}

// A move in words, such as "b 4 5": the server reads them as the terminal does.
export function Typed({ options, moves, send }) {
  const [words, set] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    if (words.trim() && (await send(words.trim()))) set("");
  };
  return html`<details class="typed"><summary>or type it</summary><form class="line" onSubmit=${submit}>
    <input id="words" aria-label="or type it" value=${words} maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="forms"
      onInput=${(event) => set(event.target.value)} />
    <button>Move</button>
    <small id="forms" class="soft">such as ${examples(options, moves).map(({ typed, means }, place) => html`${place ? ", " : ""}<code key=${typed}>${typed}</code>${means ? ` (${means})` : ""}`)}</small></form></details>`;
}
