// What the server tells of a table, over a WebSocket that is opened again whenever it is lost.

import { REACHED } from "./ask.js";
import { addressOf } from "./base.js";

const FIRST_MS = 400;
const LONGEST_MS = 15_000;
const ASLEEP_MS = 20_000;
const STOPPED = 1001;

// Listens to a table until `stop()`.  `hello()` gives what the first frame of each connection says, `onFrame(frame)`
// gets what the server sends, `onLost(reason)` hears that the connection is lost and will be tried again.  If the
// server hung up, `mayReturn(reason)` says (a promise) whether it makes sense to come back.
export function listen(table, { hello, onFrame, onLost, mayReturn }) {
  const address = addressOf(`/ws/scenes/${encodeURIComponent(table)}`).replace(/^http/, "ws");
  let socket = null, timer = 0, tries = 0, isOver = false, hiddenAt = 0;

  function open() {
    clearTimeout(timer);
    let goodbye = null;
    const own = socket = new WebSocket(address);
    own.onopen = () => own === socket && own.send(JSON.stringify(hello()));
    own.onmessage = ({ data }) => {
      if (own !== socket) return;
      const frame = JSON.parse(data);
      if (frame.bye) {
        goodbye = frame.bye;
      } else {
        tries = 0;
        onFrame(frame);
        dispatchEvent(new Event(REACHED));
      }
    };
    own.onclose = async ({ code, reason }) => {
      if (own !== socket) return;
      socket = null;
      if (isOver) return;
      onLost(goodbye ?? reason);
      if (goodbye && code !== STOPPED && !(await mayReturn(goodbye))) {
        isOver = true;
        return;
      }
      if (isOver || socket) return; // stopped, or opened anew meanwhile
      // Everybody who lost the same server comes back, but not in the same moment.
      const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries++);
      timer = setTimeout(open, most * (0.5 + Math.random() / 2));
    };
  }

  function drop() {
    const old = socket;
    socket = null;
    if (old?.readyState === WebSocket.CONNECTING) old.onopen = () => old.close(); // closed earlier, it would be an error
    else old?.close();
  }

  function again() {
    if (isOver) return;
    drop();
    tries = 0;
    open();
  }

  // A page that slept cannot know whether its connection is still there.
  function wake() {
    const slept = hiddenAt && Date.now() - hiddenAt > ASLEEP_MS;
    hiddenAt = document.hidden ? Date.now() : 0;
    if (!document.hidden && (!socket || slept)) again();
  }

  const offline = () => {
    if (isOver) return;
    drop();
    onLost("this device is offline");
  };
  const heard = [[document, "visibilitychange", wake], [window, "pageshow", wake], [window, "online", again], [window, "offline", offline]];
  for (const [where, what, hear] of heard) where.addEventListener(what, hear);
  open();
  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
      for (const [where, what, hear] of heard) where.removeEventListener(what, hear);
      drop();
    },
  };
}
