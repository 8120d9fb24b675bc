// A picture of a board as it stands, drawn in the browser: its markup and styles as one SVG, and that as a PNG.

const SCALE = 2;
const WIDE_MAX = 2400; // pixels; larger than any screen, and small enough for a phone's memory
const CAPTION = 44; // CSS pixels below the board
const SVG = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";

// The PNG of a board's element with two lines of text below it.  Rejects where the browser cannot draw it.
export async function pictureOf(board, title, said) {
  const wide = Math.ceil(board.clientWidth), high = Math.ceil(board.clientHeight) + CAPTION;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(board, title, said, wide, high))}`;
  await image.decode();
  const scale = Math.min(SCALE, WIDE_MAX / wide);
  const canvas = document.createElement("canvas");
  canvas.width = wide * scale;
  canvas.height = high * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"); });
}

function svgOf(board, title, said, wide, high) {
  const css = [...document.styleSheets, ...document.adoptedStyleSheets].map((sheet) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n")).join("\n");
  const now = getComputedStyle(board), root = getComputedStyle(document.documentElement);
  const picture = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["width", wide], ["height", high], ["viewBox", `0 0 ${wide} ${high}`]]) picture.setAttribute(name, value);
  Object.assign(picture.dataset, document.documentElement.dataset); // which theme, and which colours of suits
  const style = document.createElementNS(SVG, "style");
  style.textContent = css;
  const holder = picture.appendChild(document.createElementNS(SVG, "foreignObject"));
  holder.setAttribute("width", wide);
  holder.setAttribute("height", high);
  holder.before(style, symbolsOf(board));
  const page = holder.appendChild(document.createElementNS(XHTML, "div"));
  // The colours as they are here: in a picture, media queries know nothing of this page.
  for (const name of new Set(css.match(/--[\w-]+(?=:)/g))) {
    const value = root.getPropertyValue(name);
    if (value) page.style.setProperty(name, value);
  }
  Object.assign(page.style, { font: now.font, color: now.color, background: root.getPropertyValue("--paper"), width: `${wide}px`, height: `${high}px` });
  const player = page.appendChild(document.createElement("div"));
  player.className = board.closest(".player")?.className ?? "player";
  const copy = player.appendChild(board.cloneNode(true));
  Object.assign(copy.style, { width: `${wide}px`, height: `${high - CAPTION}px`, overflow: "hidden" });
  page.append(lineOf(title, "600 15px/20px"), lineOf(said, "14px/20px"));
  return new XMLSerializer().serializeToString(picture);
}

function lineOf(text, font) {
  const line = document.createElement("div");
  line.textContent = text;
  Object.assign(line.style, { font: `${font} system-ui, sans-serif`, padding: "0 10px", overflow: "hidden", whiteSpace: "nowrap", textOverflow: "ellipsis" });
  return line;
}

// The symbols of the sheet that a board uses, and those that they use.
function symbolsOf(board) {
  const sheet = document.createElementNS(SVG, "svg"), known = new Set();
  sheet.setAttribute("width", 0);
  sheet.setAttribute("height", 0);
  const add = (element) => {
    for (const use of element.querySelectorAll("use")) {
      const id = (use.getAttribute("href") ?? use.getAttribute("xlink:href") ?? "").slice(1);
      const symbol = known.has(id) ? null : document.getElementById(id);
      if (!symbol) continue;
      known.add(id);
      sheet.append(symbol.cloneNode(true));
      add(symbol);
    }
  };
  add(board);
  return sheet;
}
