"use strict";
// Before anything is drawn: light or dark, and the colours of suits, as they were chosen here. Not a module, as those wait.
(() => {
  const root = document.documentElement;
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  if (["light", "dark"].includes(kept("arena-theme"))) root.dataset.theme = kept("arena-theme");
  if (kept("arena-suits") === "four") root.dataset.suits = "four";
})();
