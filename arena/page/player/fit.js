// How large the pieces on a board are drawn: as large as the space allows, whatever lies there.

import { useEffect, useLayoutEffect, useRef } from "../html.js";

const SIZES = [1.85, 1.65, 1.45, 1.3, 1.15, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35];
const PARTS = [["--k-fit", ".is-round .k-slot:not(.is-bottom) > .k-place"], ["--k-bottom-fit", ".is-round .is-bottom > .k-place"], ["--k-centre-fit", ".is-round > .k-centre"]];

// While a match and the size of its board stay the same, pieces only become smaller, those at showdowns and those between
// them each for themselves: nothing jumps from step to step.  `drawn` and `dock`: refs of their elements; the style knows
// how high the dock is, as `--dock`.
export function useFit(drawn, dock, film, scene) {
  const known = useRef({});
  const fit = useRef(null);
  fit.current = () => {
    if (!drawn.current) return; // gone with its page
    const board = drawn.current, { clientWidth: width, clientHeight: height } = board;
    board.parentElement.style.setProperty("--dock", `${dock.current.offsetHeight}px`);
    const { film: before, width: across, height: down } = known.current;
    const motions = board.getAnimations({ subtree: true }).filter((each) => each.constructor === Animation);
    if (motions.length) { // what is on its way sticks out of its place
      Promise.allSettled(motions.map(({ finished }) => finished)).then(() => fit.current());
      return;
    }
    if (before !== film || across !== width || down !== height) known.current = { film, width, height, at: {} };
    const { at } = known.current, kind = scene.shown ? "showdown" : "play";
    at[kind] = fitted(board, at[kind]);
  };
  useLayoutEffect(() => fit.current(), [film, scene]);
  useEffect(() => {
    const watcher = new ResizeObserver(() => fit.current());
    watcher.observe(drawn.current);
    watcher.observe(dock.current);
    return () => watcher.disconnect();
  }, []);
}

// Draws the pieces of a board as large as its places allow; gives how large, to go on from there.
export const fitted = (board, from = PARTS.map(() => 0)) => PARTS.map((part, each) => partFitted(board, part, from[each]));

// The place in SIZES of the first size, from this one on, at which nothing sticks out of its place.
function partFitted(board, [name, places], from) {
  const boxes = [...board.querySelectorAll(places)];
  if (!boxes.length) { // no table: it takes the room that it needs
    board.style.removeProperty(name);
    return from;
  }
  const isRoom = (at) => {
    board.style.setProperty(name, SIZES[at]);
    return boxes.every((box) => box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1);
  };
  if (isRoom(from)) return from;
  let low = from + 1, high = SIZES.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isRoom(middle)) high = middle;
    else low = middle + 1;
  }
  if (low < SIZES.length) board.style.setProperty(name, SIZES[low]);
  return Math.min(low, SIZES.length - 1);
}
