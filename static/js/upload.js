// The form of the home page: choosing or dropping files and folders, and the transfer as it goes. Without this file the form posts by itself.
import { chosen, dropped, sorted } from "./folders.js";
import { bytes, count, duration } from "./format.js";
import { Transfer, earlier, forget } from "./transfer.js";

const form = document.querySelector("[data-upload]");
const part = (name) => form.querySelector(`[data-${name}]`);
const input = form.elements.files;
const drop = part("drop"), folder = part("folder"), error = part("error"), notice = part("notice"), before = part("before");
const panel = part("transfer"), bar = panel.querySelector("progress"), said = part("said"), state = part("state"), flying = part("flying");
const most = Number(form.dataset.most) || Infinity;
const number = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

let files = [];
let transfer = null;
let seen = []; // [{ at: ms, fresh: bytes that were sent by then, but for those of an earlier visit }]
let timer = 0;

input.required = false; // what is dropped is not in the input
part("hint").textContent = "or drop files and folders here";
folder.hidden = false;
folder.querySelector("button").addEventListener("click", () => folder.querySelector("input").click());

function show(element, text) {
  element.textContent = text;
  element.hidden = !text;
}

// Choosing ----------------------------------------------------------------------------------------------------------

function take(found) {
  files = sorted(found);
  const left = found.length - files.length;
  const empty = files.length > 0 && files.every(({ file }) => file.size === 0);
  transfer = files.length && !empty ? new Transfer(files, form.dataset.endpoint, form.dataset.daysKept, changed) : null;
  const size = transfer?.bytes ?? 0;
  part("chosen").textContent = !files.length ? "Choose files" : files.length === 1 ? files[0].name : number(files.length, "file", "files");
  part("hint").textContent = files.length ? bytes(size) : "or drop files and folders here";
  show(error, size > most ? `These files have ${bytes(size)} together, and this server takes at most ${bytes(most)}. Choose fewer.`
    : empty ? `${files.length === 1 ? "This file is" : "All of these files are"} empty (0 bytes). Choose one that has text in it.`
    : found.length && !files.length ? "It holds no files, or only hidden ones." : "");
  show(notice, [
    transfer?.known && "Some of these files arrived earlier: the upload continues where it stopped.",
    left && files.length && `${number(left, "hidden file is", "hidden files are")} left out.`,
  ].filter(Boolean).join(" "));
}

input.addEventListener("change", () => take(chosen(input.files)));
folder.querySelector("input").addEventListener("change", ({ target }) => take(chosen(target.files)));
if (input.files.length) take(chosen(input.files)); // a browser may keep the choice over a reload

for (const type of ["dragenter", "dragover"]) {
  drop.addEventListener(type, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const type of ["dragleave", "drop"]) drop.addEventListener(type, () => drop.classList.remove("over"));
drop.addEventListener("drop", async (event) => {
  event.preventDefault();
  show(error, "");
  try {
    take(await dropped(event.dataTransfer, (n) => { part("chosen").textContent = `${count(n)} files so far`; part("hint").textContent = "looking into folders …"; }));
  } catch (problem) {
    take([]);
    show(error, `The browser could not read what was dropped (${problem.name}). Try “Choose a folder” instead.`);
  }
});
// A file that misses the field would replace the page, and end a transfer.
for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());

earlier().then((uploads) => {
  if (!uploads.length) return;
  const total = uploads.reduce((sum, { metadata }) => sum + (Number(metadata?.files) || 1), 0);
  const name = uploads[0].metadata?.filename ?? "a file";
  before.querySelector("span").textContent =
    `An upload was interrupted: ${total === 1 ? `“${name}”` : `${count(total)} files, among them “${name}”`}. Choose the same files again, and it continues where it stopped.`;
  before.hidden = false;
  before.querySelector("button").addEventListener("click", async () => { before.hidden = true; await forget(uploads); });
});

// On the way ---------------------------------------------------------------------------------------------------------

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (transfer && transfer.bytes > most) return;
  if (!transfer) { if (!files.length) show(error, "Choose at least one file, or a folder."); return; }
  before.hidden = true;
  transfer.go();
});
part("pause").addEventListener("click", () => (transfer.state === "running" ? transfer.pause() : transfer.state === "done" ? make() : transfer.go()));
part("cancel").addEventListener("click", async () => {
  const cancelled = transfer.cancel();
  panel.classList.remove("failed");
  await cancelled;
  take(files.length ? files : []);
  show(notice, "Cancelled; nothing is kept on the server.");
});

function changed() {
  const moving = transfer.state === "running" || (transfer.state === "done" && !transfer.sentence);
  const open = moving || ["paused", "failed", "done"].includes(transfer.state);
  panel.hidden = !open;
  form.classList.toggle("sending", open);
  panel.classList.toggle("failed", transfer.state === "failed" || (transfer.state === "done" && Boolean(transfer.sentence)));
  show(error, "");
  show(notice, "");
  part("pause").textContent = transfer.state === "running" ? "Pause" : "Continue";
  part("pause").hidden = transfer.state === "done" && !transfer.sentence;
  say();
  draw();
  clearInterval(timer);
  seen = [];
  if (transfer.state === "running") timer = setInterval(draw, 250);
  if (transfer.state === "done" && !transfer.sentence) make();
}

function say() {
  const text = transfer.sentence || (transfer.retrying ? "The connection is lost; trying again …"
    : transfer.state === "paused" ? `Paused. What has arrived is kept for ${form.dataset.daysKept} days, also when this page is closed.`
    : transfer.state === "done" ? "Everything has arrived. Looking into the files …"
    : transfer.resumed ? "It continues where it stopped: what arrived earlier is not sent again." : "");
  if (state.textContent !== text) state.textContent = text; // said aloud once
}

function draw() {
  const { sent, bytes: total, count: all, done, active } = transfer;
  bar.value = total ? sent / total : 0;
  const fast = transfer.state === "running" && !transfer.retrying ? speed(sent) : 0;
  const rest = fast > 0 && sent < total && `${bytes(fast)} a second, ${duration((total - sent) / fast)} left`;
  said.textContent = [
    `${bytes(sent)} of ${bytes(total)}`, all > 1 && `${count(done.files)} of ${count(all)} files`, rest,
  ].filter(Boolean).join(" · ");
  flying.replaceChildren(...(all > 1 && transfer.state !== "done" ? [...active].map(line) : []));
  say();
}

function line(job) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  const much = document.createElement("span");
  name.textContent = job.packed ? `${number(job.files.length, "small file", "small files")} from ${job.name}` : job.name;
  much.textContent = `${bytes((job.size ? job.sent / job.size : 0) * job.bytes)} of ${bytes(job.bytes)}`;
  item.append(name, much);
  return item;
}

// Bytes a second over the last quarter of a minute, once there are some seconds of it.
function speed(sent) {
  const at = performance.now();
  const fresh = sent - transfer.resumed;
  if (!seen.length || at - seen.at(-1).at > 500) seen.push({ at, fresh });
  while (seen.length > 30) seen.shift();
  const seconds = (at - seen[0].at) / 1000;
  return seconds > 2 ? (fresh - seen[0].fresh) / seconds : 0;
}

// The corpus ---------------------------------------------------------------------------------------------------------

async function make() {
  if (transfer.sentence) transfer.set("done"); // again
  const data = new FormData(form);
  data.delete("files");
  data.set("uploads", transfer.ids.join(" "));
  let sentence = `The server can’t be reached. All files have arrived and are kept for ${form.dataset.daysKept} days: continue when the connection is back.`;
  try {
    const response = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const answer = await response.json().catch(() => ({}));
    if (answer.url) {
      transfer.settled();
      location.assign(answer.url);
      return;
    }
    if (answer.error && [400, 404].includes(response.status)) { await refuse(answer.error); return; }
    sentence = answer.error || `The server answered ${response.status}. Press Continue to try again.`;
  } catch { /* as said */ }
  transfer.sentence = sentence;
  changed();
}

// What can't become a corpus would be refused again: nothing is kept of it, and others can be chosen.
async function refuse(sentence) {
  await transfer.cancel();
  input.value = "";
  take([]);
  show(error, sentence);
}

addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); }); // back from the next page: these files are a corpus now
