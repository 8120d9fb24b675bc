// What the server says, kept up to date while a page is looked at.

import { useEffect, useState } from "../html.js";
import { get } from "./ask.js";

const LOOK_MS = 10_000; // how often what changes all the time is asked for; it is no newer on the server
const WAIT_S = 15; // how long the server may keep a question open
const AGAIN_MS = 5_000;

// What the server says at an address, again and again while the page is looked at: { value, refused }.
export function usePolled(path, token) {
  const [state, set] = useState({ value: null, refused: null });
  useEffect(() => {
    let timer = 0, isOpen = true, isRefused = false;
    const look = () => {
      if (document.hidden) { timer = setTimeout(look, AGAIN_MS); return; }
      get(path, token).then(
        (value) => isOpen && set({ value, refused: null }),
        (refused) => {
          if (isOpen) set((old) => ({ value: refused.status === 0 ? old.value : null, refused }));
          isRefused = refused.status === 401;
        },
      ).finally(() => { if (isOpen && !isRefused) timer = setTimeout(look, LOOK_MS); });
    };
    look();
    return () => { isOpen = false; clearTimeout(timer); };
  }, [path, token]);
  return state;
}

// What the server says at an address, as soon as anything of it changes; without an address `value` is null.
export function useWatched(path, token) {
  const [state, set] = useState({ value: null, refused: null });
  useEffect(() => {
    set({ value: null, refused: null });
    if (path === null) return undefined;
    let isOpen = true, timer = 0;
    const look = (after) => get(`${path}${after === null ? "" : `?after=${after}&wait=${WAIT_S}`}`, token).then(
      async (value) => {
        if (!isOpen) return;
        set({ value, refused: null });
        look(value.version);
      },
    ).catch((refused) => {
      if (!isOpen) return;
      set((old) => ({ value: refused.status === 0 ? old.value : null, refused }));
      if (![401, 404].includes(refused.status)) timer = setTimeout(() => look(null), AGAIN_MS); // these will not change by themselves
    });
    look(null);
    return () => { isOpen = false; clearTimeout(timer); };
  }, [path, token]);
  return state;
}
