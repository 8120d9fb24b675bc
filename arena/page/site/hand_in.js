// Handing in a bot: a folder or a file that is dragged here or chosen, sent to the server with its progress.

import { html, useRef, useState } from "../html.js";
import { Refused } from "./ask.js";
import { BASE } from "./base.js";
import { counted, listed, Trouble, useDoing } from "./parts.js";
import { zipOf } from "./zip.js";

const LEFT_OUT = /^(\.git|\.hg|node_modules|__pycache__|\.venv|venv|target|\.DS_Store|__MACOSX)$/;
const FILES_MAX = 10_000;
const MANY = 65_000; // a zip of this kind has no more

export function HandIn({ root, token, bots, league }) {
  const [run, busy, refused] = useDoing();
  const [sent, show] = useState(null);
  const [share, progress] = useState(0);
  const [isOver, hover] = useState(false);
  const bot = useRef(null);
  const most = (league?.archive_mb ?? 20) * 2 ** 20;
  const hand = (found) => run(async () => {
    show(null);
    progress(0);
    const { blob, name, leftOut } = await found;
    if (blob.size > most) throw new Refused(413, { message: `this is ${megabytes(blob.size)}, and the league takes ${megabytes(most)} at most: leave out what the bot does not need` });
    const query = new URLSearchParams({ file: name, ...(bot.current?.value ? { bot: bot.current.value } : {}) });
    const taken = await upload(`${root}/versions?${query}`, blob, token, progress);
    show({ ...taken, left_out: [...new Set([...leftOut, ...taken.left_out])] });
  });
  const drop = (event) => {
    event.preventDefault();
    hover(false);
    hand(dropped(event.dataTransfer));
  };
  const choose = (event) => {
    if (event.target.files.length) hand(chosen([...event.target.files]));
    event.target.value = "";
  };
  return html`<div class=${`drop${isOver ? " over" : ""}`} onDragOver=${(event) => { event.preventDefault(); hover(true); }} onDragLeave=${() => hover(false)} onDrop=${drop}>
    <h3>Hand in ${bots.length ? "a version" : "a bot"}</h3>
    <p>Drag its folder here, or a zip, a tar.gz or one file; or choose:</p>
    ${bots.length > 1 && html`<label class="field"><span>Of which bot</span><select ref=${bot}>${bots.map(({ id, name }) => html`<option key=${id} value=${id}>${name}</option>`)}</select></label>`}
    <p class="line"><label class="button">A folder<input type="file" class="unseen" webkitdirectory disabled=${busy} onChange=${choose} /></label>
      <label class="button">A file<input type="file" class="unseen" disabled=${busy} onChange=${choose} /></label></p>
    ${busy && html`<p><progress value=${share} max="1" aria-label="Sent"></progress></p>`}
    <${Trouble} refused=${refused} />
    <div role="status">${sent && html`<p>${sent.said}.</p>${sent.left_out.length > 0 && html`<p class="soft">Left out: ${listed(sent.left_out)}</p>`}
      ${sent.notes.map((note) => html`<p class="note">${note}</p>`)}`}</div></div>`;
}

const megabytes = (octets) => `${(octets / 2 ** 20).toFixed(1)} MB`;

// What was chosen by a field: one file as it is, or the files of a folder.
async function chosen(files) {
  const isFolder = files.some((file) => file.webkitRelativePath);
  if (!isFolder && files.length === 1) return { blob: files[0], name: files[0].name, leftOut: [] };
  return packed(files.map((file) => [file.webkitRelativePath || file.name, file]));
}

// What was dropped: one file as it is, or all below a folder.
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), files = [...transfer.files];
  if (entries.length === 1 && entries[0].isFile) return { blob: files[0], name: files[0].name, leftOut: [] };
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return packed(found);
}

async function walk(entry, above, found) {
  const path = `${above}${entry.name}`;
  if (found.length > FILES_MAX) return;
  if (entry.isFile) found.push([path, await new Promise((done, failed) => entry.file(done, failed))]);
  else if (LEFT_OUT.test(entry.name)) found.push([`${path}/`, null]);
  else {
    const reader = entry.createReader();
    for (;;) { // a reader tells a hundred at a time
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) break;
      for (const each of some) await walk(each, `${path}/`, found);
    }
  }
}

async function packed(files) {
  const kept = [], leftOut = new Set();
  for (const [path, file] of files) {
    const parts = path.split("/"), at = parts.findIndex((part) => LEFT_OUT.test(part));
    if (at >= 0) leftOut.add(parts.slice(Math.min(1, at), at + 1).join("/"));
    else kept.push([path, file]);
  }
  if (!kept.length) throw new Refused(400, { message: "there are no files in it: choose the folder that has your bot" });
  if (kept.length > Math.min(FILES_MAX, MANY)) throw new Refused(413, { message: `there are more than ${counted(FILES_MAX, "file")} in it: leave out what the bot does not need` });
  const read = [];
  for (const [path, file] of kept.sort(([one], [other]) => (one < other ? -1 : 1))) read.push([path, new Uint8Array(await file.arrayBuffer())]);
  return { blob: zipOf(read), name: "bot.zip", leftOut: [...leftOut] };
}

// Sends a file; `progress` hears the share that is sent. Raises Refused.
function upload(path, blob, token, progress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", BASE + path);
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => progress(event.loaded / (event.total || 1));
    request.onerror = () => failed(new Refused(0, { message: "The server cannot be reached, or the upload broke off: try again, nothing was changed." }));
    request.onload = () => {
      let said = {};
      try {
        said = JSON.parse(request.responseText);
      } catch {
        // a proxy may have answered
      }
      if (request.status < 300) done(said);
      else failed(new Refused(request.status, { ...said, message: said.message || `the server answered ${request.status}` }));
    };
    request.send(blob);
  });
}
