// A table as this tab sees it, kept up to date, and what this tab does there.

import { useCallback, useEffect, useMemo, useRef, useState } from "../html.js";
import { addSteps, openFilm } from "../film.js";
import { ask, at, get, post } from "./ask.js";
import { keepSeat, seatAt } from "./kept.js";
import { listen } from "./listen.js";
import { useDoing } from "./parts.js";

const BETWEEN_MS = 250; // from one drawing of a table that one only watches to the next
const START = { table: null, film: null, version: 0, moves: null, since: 0, alert: "", lost: null, over: null, seatLost: null };

// What is shown of a table: its state with `seat`, and `takeSeat(seat)` once somebody has joined or left.
export function useTable(id) {
  const [state, set] = useState(START);
  const [seat, setSeat] = useState(() => seatAt(id));
  const [isLeaving, setLeaving] = useState(false);
  const film = useRef(null);
  const later = useRef({ timer: 0, at: 0 });
  const takeSeat = useCallback((next) => {
    keepSeat(id, next);
    setSeat(next);
  }, [id]);

  useEffect(() => {
    if (isLeaving) return undefined; // the table may be closed by it, which need not be told
    const key = seat?.key ?? null;
    film.current = null;
    let hasCome = false;
    const hello = () => {
      const has = film.current;
      return { key, match: has?.match ?? null, steps: has ? (has.first ?? 0) + has.steps.length : 0 };
    };
    const onFrame = (frame) => {
      follow(film, frame, hasCome);
      hasCome = true;
      set((old) => (old.lost === null ? old : { ...old, lost: null })); // now: it may be lost again before this frame is drawn
      const show = () => {
        later.current = { timer: 0, at: performance.now() };
        set((old) => ({
          ...old, table: frame.table, film: film.current, version: old.version + 1, moves: frame.moves, since: performance.now(),
          alert: frame.alert ?? "",
        }));
      };
      // Nobody is asked anything here: what comes too fast to be seen is not drawn.
      const wait = key === null ? later.current.at + BETWEEN_MS - performance.now() : 0;
      clearTimeout(later.current.timer);
      if (wait > 0) later.current.timer = setTimeout(show, wait);
      else show();
    };
    const onLost = (lost) => set((old) => ({ ...old, lost: lost || "the connection is lost" }));
    // The server hung up: because of the key, of the table, or of something that may pass.
    const mayReturn = async (reason) => {
      try {
        await get(at(id), key);
        return true;
      } catch (refused) {
        if (refused.status === 401) {
          takeSeat(null);
          set((old) => ({ ...old, seatLost: refused.message }));
          return false;
        }
        if (refused.status !== 404) return true;
        takeSeat(null);
        set((old) => ({ ...old, lost: null, over: reason }));
        return false;
      }
    };
    const wire = listen(id, { hello, onFrame, onLost, mayReturn });
    return () => { wire.stop(); clearTimeout(later.current.timer); };
  }, [id, seat?.key, isLeaving]);

  return { ...state, seat, takeSeat, setLeaving };
}

// Brings the film up to date by a frame.  `isLater`: the page has been there before, so that a film begins before its eyes.
function follow(film, frame, isLater) {
  const shown = frame.table.match;
  if (!shown) film.current = null;
  if (frame.film) film.current = { ...openFilm(frame.film), isFresh: isLater && film.current?.match !== frame.film.match };
  const has = film.current;
  if (has && frame.steps) addSteps(has, frame.steps.slice((has.first ?? 0) + has.steps.length - frame.first));
  if (has) has.steps_in_all = (has.first ?? 0) + has.steps.length;
  if (has && frame.result) Object.assign(has, frame.result);
}

// What a member can do: functions that resolve once it is done, and whether one is on its way, and what was refused.
export function useActs(id, { seat, table, takeSeat, setLeaving }) {
  const [run, busy, refused, forget] = useDoing();
  const [answered, setAnswered] = useState("");
  const key = seat?.key;
  const turn = table?.match ? `${table.match.match_id} ${table.match.turn}` : "";
  const acts = useMemo(() => ({
    join: (nickname, spectate) => run(async () => takeSeat(await post(at(id, "/players"), { nickname, spectate }, null))),
    leave: () => run(async () => {
      setLeaving(true);
      try {
        await ask("DELETE", at(id, `/players/${encodeURIComponent(seat.playerID)}`), { key });
      } catch (refused) {
        setLeaving(false);
        throw refused;
      }
      keepSeat(id, null);
      return true;
    }),
    act: (name, body) => run(() => post(at(id, `/${name}`), body, key)),
    // What nobody has chosen: a refusal, such as that it comes too late, need not be told. Resolves to whether the server had it.
    pass: (move) => post(at(id, "/moves"), { move, turn: table.match.turn }, key).then(() => { setAnswered(turn); return true; }, ({ status }) => status !== 0),
    move: (said) => run(async () => {
      await post(at(id, "/moves"), { ...said, turn: table.match.turn }, key);
      setAnswered(turn);
      return true;
    }),
  }), [id, key, turn]);
  return { ...acts, busy, refused, forget, hasAnswered: answered !== "" && answered === turn };
}

// How this tab stands at the table.
export function standing(table) {
  const you = table.you;
  const own = you ? table.players.find((player) => player.playerID === you.playerID) ?? null : null;
  return {
    you,
    own,
    seat: own?.seat ?? null,
    isHost: Boolean(you?.is_host),
    isPlaying: table.status === "playing",
    isAsked: Boolean(you?.options),
    isFull: table.seats.taken >= table.seats.most,
  };
}
