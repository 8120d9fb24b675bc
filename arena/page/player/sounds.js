// Six short sounds, made here and now; silent until somebody chooses them, which the browser remembers.

const KEY = "arena-sound";
const LOUDNESS = 0.16;

// What is heard: tones { at, hz, to, ms, shape } and noise { at, ms, below }, in milliseconds and hertz.
const SOUNDS = {
  deal: [{ ms: 60, below: 3200 }, { at: 70, ms: 50, below: 2600 }],
  bet: [{ hz: 1900, to: 1500, ms: 45, shape: "triangle" }, { at: 40, hz: 2300, to: 1800, ms: 60, shape: "triangle" }],
  reveal: [{ hz: 520, ms: 90, shape: "sine" }, { at: 80, hz: 780, ms: 140, shape: "sine" }],
  loss: [{ hz: 330, to: 190, ms: 320, shape: "triangle" }],
  shot: [{ ms: 30, below: 9000 }, { at: 10, ms: 260, below: 900 }, { hz: 120, to: 45, ms: 220, shape: "sine" }],
  turn: [{ hz: 660, ms: 110, shape: "sine" }, { at: 120, hz: 880, ms: 200, shape: "sine" }],
};
// Which sound goes with what happens on a board (motion.js); of several things the first is heard.
const HEARD = [["shot", "shot"], ["loss", "loss"], ["reveal", "reveal"], ["won", "reveal"], ["click", "bet"], ["spin", "bet"], ["bid", "bet"], ["bet", "bet"], ["gather", "bet"], ["play", "deal"], ["deal", "deal"], ["said", "bet"]];

let context = null, chosen = null;

export function isHeard() {
  if (chosen === null) {
    try {
      chosen = localStorage.getItem(KEY) === "on";
    } catch {
      chosen = false; // a browser may refuse to keep anything
    }
  }
  return chosen;
}

// Turns sounds on or off; on is heard at once.
export function switchSounds() {
  const isOn = chosen = !isHeard();
  try {
    if (isOn) localStorage.setItem(KEY, "on");
    else localStorage.removeItem(KEY);
  } catch { /* then it is forgotten with the page */ }
  if (isOn) sound("turn");
  else context = (context?.close(), null);
}

// Lets one of the sounds be heard, if somebody chose that.
export function sound(name) {
  if (!isHeard() || document.hidden && name !== "turn") return;
  if (!context && !navigator.userActivation?.hasBeenActive) return; // browsers allow sound once somebody has pressed something
  context ??= new AudioContext();
  for (const part of SOUNDS[name]) play(part, context.currentTime + (part.at ?? 0) / 1000);
}

export function soundOf(whats) {
  const found = HEARD.find(([what]) => whats.has(what));
  if (found) sound(found[1]);
}

function play({ hz, to = hz, ms, shape, below }, at) {
  const end = at + ms / 1000, volume = context.createGain();
  volume.gain.setValueAtTime(LOUDNESS, at);
  volume.gain.exponentialRampToValueAtTime(0.0001, end);
  volume.connect(context.destination);
  const source = hz ? context.createOscillator() : context.createBufferSource();
  if (hz) {
    source.type = shape;
    source.frequency.setValueAtTime(hz, at);
    source.frequency.exponentialRampToValueAtTime(to, end);
    source.connect(volume);
  } else {
    const filter = context.createBiquadFilter();
    filter.frequency.value = below;
    source.buffer = noise(ms);
    source.connect(filter).connect(volume);
  }
  source.start(at);
  source.stop(end);
}

function noise(ms) {
  const buffer = context.createBuffer(1, Math.ceil((context.sampleRate * ms) / 1000), context.sampleRate), values = buffer.getChannelData(0);
  for (let at = 0; at < values.length; at++) values[at] = 2 * Math.random() - 1;
  return buffer;
}
