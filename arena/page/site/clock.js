// The time that is left, counted down from what the server sent.

import { html, useEffect, useState } from "../html.js";

const SHORT_MS = 10_000;

// `ms` were left at `since` (performance.now()); `stands`: the time does not run now.
export function Clock({ ms, since, stands = false }) {
  const [now, set] = useState(() => performance.now());
  useEffect(() => {
    set(performance.now());
    const timer = setInterval(() => set(performance.now()), 250);
    return () => clearInterval(timer);
  }, [ms, since]);
  const left = Math.max(0, ms - (stands ? 0 : Math.max(0, now - since)));
  return html`<span role="timer" aria-label=${`${Math.ceil(left / 1000)} seconds left`} class=${`clock${left < SHORT_MS ? " short" : ""}`}>${said(left)}</span>`;
}

function said(ms) {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60, two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
