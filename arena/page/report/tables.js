// Tables that are wide or long: a hint at columns out of sight, sorting by any column, a filter, a way past.
(() => {
  const SORTED_ROWS_MIN = 3, LONG_ROWS_MIN = 12;
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const make = (tag, kind, text) => Object.assign(document.createElement(tag), { className: kind, textContent: text });
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const said = make("p", "unseen", "");
  said.setAttribute("role", "status");
  document.querySelector("footer").append(said);

  // A number as the page writes it, `−12.5`, `16,120` or `1.2M`; null if there is none.
  function numberIn(text) {
    const found = /([+-]?\d+(?:\.\d+)?)(M?)/.exec(text.replace(/−/g, "-").replace(/,/g, ""));
    return found && Number(found[1]) * (found[2] ? 1e6 : 1);
  }

  function valueOf(cell, isText) {
    if (!cell || cell.colSpan > 1) return null;
    if (isText) return cell.textContent.trim() || null;
    return cell.dataset.value === undefined ? numberIn(cell.textContent) : Number(cell.dataset.value);
  }

  // Rows by a column, way 1 upwards or −1 downwards; what has no value comes last either way.
  function ordered(rows, place, way, isText) {
    const valued = rows.map((row) => [valueOf(row.cells[place], isText), row]);
    const rank = (a, b) => (isText ? compare(a, b) : a - b) * way;
    valued.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : rank(a, b)));
    return valued.map(([, row]) => row);
  }

  // The first press sorts by what is asked for most (large numbers, names from A on), the second turns it
  // round, the third gives the order that the page had.
  function letSort(table) {
    const body = table.tBodies[0], given = [...body.rows];
    if (given.length < SORTED_ROWS_MIN || table.classList.contains("heat")) return;
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const name = head.textContent.trim(), isText = head.matches(".text, .bot");
      if (!name) return;
      const button = make("button", "sort", ""), first = isText || "up" in head.dataset ? "ascending" : "descending";
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort"), turned = first === "ascending" ? "descending" : "ascending";
        const next = !now ? first : now === first ? turned : null;
        for (const each of heads) each.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        body.append(...(next ? ordered(given, place, next === "ascending" ? 1 : -1, isText) : given));
        said.textContent = next ? `sorted by ${name}, ${next}` : "in the first order again";
      });
    });
  }

  // Every word must be in a text of the row; numbers are not searched, or `bot 1` would find nearly all rows.
  function letFilter(box, table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < LONG_ROWS_MIN) return;
    const caption = table.caption.textContent.trim();
    const past = make("button", "skip", "Skip this table"), after = make("span", "past", "");
    const label = make("label", "filter screen", "Filter "), field = make("input", ""), count = make("span", "muted", "");
    Object.assign(past, { type: "button" });
    Object.assign(field, { type: "search", autocomplete: "off", spellcheck: false });
    field.setAttribute("aria-label", `Filter: ${caption}`);
    after.tabIndex = -1;
    count.setAttribute("role", "status");
    past.addEventListener("click", () => after.focus());
    let texts;
    field.addEventListener("input", () => {
      texts ||= rows.map((row) => plain([...row.querySelectorAll("th, .text, .match, .wrap")].map((each) => each.textContent).join(" ")));
      const words = plain(field.value).split(/\s+/);
      rows.forEach((row, place) => { row.hidden = !words.every((word) => texts[place].includes(word)); });
      count.textContent = field.value.trim() ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    });
    label.append(field, count);
    box.before(past, label);
    box.after(after);
  }

  // What sticks out of its box fades at that edge; words say it too, and the keys can scroll the box.
  function hint(box, table) {
    const words = make("p", "hint screen", "Scroll sideways for more columns →");
    words.hidden = true;
    box.before(words);
    const look = () => {
      const wide = box.scrollWidth - box.clientWidth, isWide = wide > 1;
      words.hidden = !isWide;
      box.classList.toggle("more-left", isWide && box.scrollLeft > 1);
      box.classList.toggle("more-right", isWide && box.scrollLeft < wide - 1);
      if (isWide || box.scrollHeight - box.clientHeight > 1) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", table.caption.textContent.trim());
      } else for (const each of ["tabindex", "role", "aria-label"]) box.removeAttribute(each);
    };
    box.addEventListener("scroll", look, { passive: true });
    const watcher = new ResizeObserver(look);  // a bot's page has a width only once it is shown
    watcher.observe(box);
    watcher.observe(table);
  }

  for (const box of document.querySelectorAll(".box")) {
    const table = box.querySelector("table");
    letSort(table);
    letFilter(box, table);
    hint(box, table);
  }
})();
