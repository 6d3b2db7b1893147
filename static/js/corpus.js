// Follows a corpus while its files are stored, while it is read, or a version of its words is made; when it is ready or has failed the
// page is loaded anew, with the whole story, and stored files lead to the page that says how they are read.
import { follow, ofWorkers } from "./live.js";
import { bytes, count } from "./format.js";

const live = document.querySelector("[data-live]");
const part = (name) => live.querySelector(`[data-${name}]`);
const bar = part("bar");
const storing = live.dataset.working === "storing";
const stages = {
  queued: "Waiting for a worker", reading: storing ? "Files are being stored" : live.dataset.working === "looking" ? "Looking into the files" : "Being read", looking: "Looking into the files", storing: storing ? "Files are being stored" : "Files are being added", choosing: "Making the vocabulary", duplicates: "Looking for documents that repeat others",
  vocabulary: "Making the vocabulary", indexing: "Preparing the search",
};
let run, workers, lost = "", error = "", status = null;

function show({ bytes_read, bytes_total, documents, words, files, stage }) {
  if (bytes_total) {
    part("reading").hidden = live.dataset.working === "choosing" && bytes_read >= bytes_total; // no file is read for other words
    bar.max = bytes_total;
    bar.value = bytes_read;
    part("bytes").textContent = `${bytes(bytes_read)} of ${bytes(bytes_total)}`;
  }
  if (files !== undefined && storing) part("files").textContent = count(files);
  if (documents !== undefined && !storing) part("documents").textContent = count(documents);
  if (words !== undefined && !storing) part("words").textContent = count(words);
  if (stage) part("status").textContent = stages[stage] ?? stage;
}

function notice() {
  part("notice").textContent = lost || error || ofWorkers(workers);
}

function settle(next) {
  if (!["queued", "reading", "choosing"].includes(next)) {
    page.stop();
    if (next === "draft" && live.dataset.then) location.replace(live.dataset.then);
    else if (run && next === "ready") location.replace(run); // its training, which has begun
    else location.reload();
  } else if (next !== status) {
    status = next;
    part("status").textContent = stages[next];
  }
}

const page = follow({
  json: live.dataset.json,
  events: live.dataset.events,
  onState(state) {
    if (state.workers !== undefined) workers = state.workers;
    error = (state.making ?? state).error;
    run = live.dataset.working === "choosing" ? null : state.run;
    settle(state.making?.status ?? state.status);
    show({ ...state, documents: state.documents_read, files: state.files_stored });
    notice();
  },
  onEvent(event) {
    if (event.type === "progress") { status = storing ? "reading" : live.dataset.working; show(event); }
    if (event.type === "status") { error = event.error; if (event.status === "ready") page.refresh(); else settle(event.status); }
    if (event.type === "workers") workers = event.alive;
    notice();
  },
  onLost(value) { lost = value; notice(); },
});
