// What persons choose with, beyond plain buttons.
import { html } from "../html.js";

// A whole number between two bounds: a field with a button on either side. change: told the new number.
export function Stepper({ label, value, min, max, step = 1, change }) {
  const bounded = (number) => Math.min(max, Math.max(min, number));
  const typed = (event) => {
    const number = Math.round(Number(event.target.value));
    change(bounded(Number.isFinite(number) ? number : min));
  };
  return html`<span class="k-stepper">
    <button type="button" aria-label=${`${label}: less`} disabled=${value <= min} onClick=${() => change(bounded(value - step))}>−</button>
    <input type="number" inputmode="numeric" aria-label=${label} value=${value} min=${min} max=${max} step=${step} onChange=${typed} onFocus=${(event) => event.target.select()} />
    <button type="button" aria-label=${`${label}: more`} disabled=${value >= max} onClick=${() => change(bounded(value + step))}>+</button>
  </span>`;
}

// One of several that exclude each other, drawn as its children; choose: it was chosen.
export function Choice({ name, chosen, disabled, choose, children }) {
  return html`<label class="k-choice">
    <input type="radio" name=${name} checked=${chosen} disabled=${disabled} onChange=${choose} />
    ${children}
  </label>`;
}
