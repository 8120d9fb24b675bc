// Keys and swipes of the match player.

import { useEffect, useRef } from "../html.js";

const SWIPE_PX = 40;

// The keys, wherever the focus is while most of the player is in sight; never from who needs them: fields,
// boxes that scroll sideways, and for space buttons and links too.
export function useKeys(root, { go, move, toggle, toRound, last }) {
  const now = useRef(null);
  now.current = { go, move, toggle, toRound, last };
  useEffect(() => {
    const hear = (event) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const held = event.target instanceof Element ? event.target : document.body;
      const { go, move, toggle, toRound, last } = now.current;
      const acts = event.shiftKey
        ? { ArrowLeft: () => toRound(-1), ArrowRight: () => toRound(1) }
        : { ArrowLeft: () => move(-1), ArrowRight: () => move(1), Home: () => go(0), End: () => go(last), " ": toggle };
      const act = acts[event.key];
      if (!act || needsKeys(held, event.key) || !isInSight(root.current)) return;
      if (!event.key.startsWith("Arrow") && !root.current.contains(held)) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

function needsKeys(element, key) {
  if (element.closest("input, select, textarea, [contenteditable], [role=radiogroup]")) return true;
  if (key === " ") return Boolean(element.closest("button, a, summary"));
  const box = element.closest(".box");
  return Boolean(box && box.scrollWidth > box.clientWidth);
}

function isInSight(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && Math.min(bottom, innerHeight) - Math.max(top, 0) >= Math.min(height, innerHeight) / 2;
}

// Sideways swipes step; what scrolls or can be moved keeps its own.
export function useSwipe(step) {
  const from = useRef(null);
  return {
    onTouchStart: (event) => {
      const isOwn = event.touches.length > 1 || event.target.closest("input, button, .box");
      from.current = isOwn ? null : { x: event.touches[0].clientX, y: event.touches[0].clientY };
    },
    onTouchEnd: (event) => {
      if (!from.current) return;
      const { clientX, clientY } = event.changedTouches[0];
      const across = clientX - from.current.x, down = clientY - from.current.y;
      if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? 1 : -1);
      from.current = null;
    },
  };
}
