// Small parts of which all pages are made.

import { html, useCallback, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { REACHED, sentence } from "./ask.js";

const AGAIN_MS = 5_000; // until a server that could not be reached is asked again

// What went wrong, told once and at once; `refused` is a Refused, or null.
export function Trouble({ refused }) {
  return html`<div role="alert">${refused ? html`<p class="trouble">${sentence(refused.message)}</p>` : null}</div>`;
}

// The heading of a page, which gets the focus when the page was reached by a link.
export function Heading({ children, takesFocus = false }) {
  const heading = useRef(null);
  useLayoutEffect(() => { // at once: who types meanwhile would type into nothing
    if (takesFocus) heading.current.focus({ preventScroll: true });
  }, []);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

// A part that is made when it is opened.
export function Unfolded({ title, children }) {
  const [isOpen, set] = useState(false);
  return html`<details onToggle=${(event) => set(event.currentTarget.open)}><summary>${title}</summary>${isOpen ? children : ""}</details>`;
}

// One thing at a time: [run, busy, refused, forget]. `run` gives what the function gives, or undefined if it was refused.
export function useDoing() {
  const [state, set] = useState({ busy: false, refused: null });
  const doing = useRef(false);
  const run = useCallback(async (what) => {
    if (doing.current) return undefined;
    doing.current = true;
    set({ busy: true, refused: null });
    let refused = null;
    try {
      return await what();
    } catch (error) {
      refused = error;
      return undefined;
    } finally {
      doing.current = false;
      set({ busy: false, refused });
    }
  }, []);
  const forget = useCallback(() => set((old) => ({ ...old, refused: null })), []);
  const isUnreached = state.refused?.status === 0;
  useEffect(() => {
    if (!isUnreached) return undefined;
    addEventListener(REACHED, forget); // it is not true any more
    return () => removeEventListener(REACHED, forget);
  }, [isUnreached]);
  return [run, state.busy, state.refused, forget];
}

// What a function gives, asked for when `names` change: { value, refused }.
export function useAsked(what, names) {
  const [state, set] = useState({ value: null, refused: null });
  useEffect(() => {
    let isOpen = true, timer = 0;
    const ask = () => what().then(
      (value) => isOpen && set({ value, refused: null }),
      (refused) => {
        if (!isOpen) return;
        set({ value: null, refused });
        if (refused.status === 0) timer = setTimeout(ask, AGAIN_MS);
      },
    );
    ask();
    return () => { isOpen = false; clearTimeout(timer); };
  }, names);
  return state;
}

// "2 to 10", or one number.
export const range = ({ least, most }) => (least === most ? String(least) : `${least} to ${most}`);
export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
export const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
