// The time that is left, counted down from what the server sent.

import { html, useEffect, useState } from "../html.js";

const SHORT_MS = 10_000;

// `ms` were left at `since` (performance.now()).
export function Clock({ ms, since }) {
  const left = useLeft(ms, since);
  return html`<span role="timer" aria-label=${`${Math.ceil(left / 1000)} seconds left`} class=${`clock${left < SHORT_MS ? " short" : ""}`}>${said(left)}</span>`;
}

// The same as a ring that closes, of `whole` milliseconds.
export function Ring({ ms, since, whole }) {
  const left = useLeft(ms, since);
  return html`<span role="timer" aria-label=${`${Math.ceil(left / 1000)} seconds left`} class="clock ring"><svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
    <circle class="track" cx="16" cy="16" r="13" /><circle cx="16" cy="16" r="13" pathLength="1" stroke-dasharray="1 1" stroke-dashoffset=${1 - Math.min(1, left / whole)} transform="rotate(-90 16 16)" />
    <text x="16" y="21" text-anchor="middle">${Math.ceil(left / 1000)}</text></svg></span>`;
}

function useLeft(ms, since) {
  const [now, set] = useState(() => performance.now());
  useEffect(() => {
    set(performance.now());
    const timer = setInterval(() => set(performance.now()), 250);
    return () => clearInterval(timer);
  }, [ms, since]);
  return Math.max(0, ms - Math.max(0, now - since));
}

function said(ms) {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60, two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
