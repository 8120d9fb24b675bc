"use strict";
// On a server: says that the tournament is running, and shows the next report as soon as there is one.
(() => {
  const AGAIN_MS = 20_000;
  const mark = document.getElementById("running");
  let known = null;
  async function look() {
    try {
      const answer = await fetch(location.pathname, { cache: "no-cache" });
      const tag = answer.headers.get("etag");
      mark.hidden = answer.headers.get("x-running") !== "yes";
      if (answer.ok && known !== null && tag !== known && document.visibilityState === "visible") location.reload();
      if (answer.ok) known ??= tag;
    } catch {
      // the server may be gone for a moment
    }
    setTimeout(look, AGAIN_MS);
  }
  look();
})();
