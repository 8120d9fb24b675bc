"use strict";
// The switch of light and dark.
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const keep = (value) => { try { localStorage.setItem("arena-theme", value); } catch { /* a page from a file may not */ } };
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.hidden = false; };
  try { root.dataset.theme = localStorage.getItem("arena-theme") || ""; } catch { /* nothing was kept */ }
  if (!root.dataset.theme) delete root.dataset.theme;
  name();
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; keep(root.dataset.theme); name(); });
})();
