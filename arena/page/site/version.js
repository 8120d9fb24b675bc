// A version of a bot of a league: what state it is in, and why.

import { html } from "../html.js";

const STATES = {
  waiting: "waits to be tried", building: "is being built", checking: "is being checked", playing: "plays", refused: "was refused",
  failed: "failed in play", replaced: "was replaced", withdrawn: "was withdrawn", excluded: "is excluded by the host",
};
export const LIVE = ["waiting", "building", "checking", "playing"];
export const isOut = (version) => version.state === "refused" || version.state === "failed";

export function Version({ version, children }) {
  const connects = version.connects && version.state === "waiting";
  const why = connects ? "" : version.waits_for || version.reason;
  return html`<p>Version ${version.number} <b>${connects ? "waits for its connection" : STATES[version.state] ?? version.state}</b>${children}</p>
    ${why ? html`<pre class="said reason">${why}</pre>` : ""}`;
}
