// Watches a run: numbers from its events, everything else from run.json, which is asked for again at every snapshot.
import * as charts from "./charts.js";
import { count, decimals, duration, percent } from "./format.js";
import { follow, ofWorkers } from "./live.js";
import { formingView } from "./forming.js";
import { leads } from "./lead.js";

const page = document.querySelector("[data-run]");
const part = (name) => page.querySelector(`[data-${name}]`);
const ended = (status) => ["done", "cancelled", "failed"].includes(status);
const names = { queued: "Waiting", running: "Training", storing: "Storing", done: "Done", cancelled: "Cancelled", failed: "Failed" };
const title = document.title;

let state = null;
let lost = "";
let lit = null; // the topic that the reader points at
let stored = 0; // share of the documents whose topics are found

// Status and numbers ---------------------------------------------------------------------------------------------

// How many are before it, and how long these take.
function waits() {
  const { queue_ahead: ahead, queue_seconds: seconds } = state;
  if (!ahead && seconds !== null && seconds < 20) return "A worker takes it next.";
  const before = ahead ? `${ahead} ${ahead === 1 ? "training is" : "trainings are"} before it.` : "It is next.";
  return seconds === null ? before : `About ${seconds < 90 ? "a minute" : `${Math.round(seconds / 60)} minutes`}: ${before[0].toLowerCase()}${before.slice(1)}`;
}

function said() {
  const { status, request, step, steps, left, seconds } = state;
  if (status === "queued") return `${step ? "Others had not had their turn, so it makes room at " + percent(step / steps) + ", and goes on by itself. " : ""}${waits()}`;
  if (status === "running" && request === "stop") return "Stopping; what there is will be kept.";
  if (status === "running" && request === "cancel") return "Cancelling.";
  if (status === "running" && !steps) return state.notice ? "Preparing." : "Preparing; the first topics appear soon.";
  if (status === "running") return `${percent(step / steps)}, ${left === null ? "estimating the time left" : `about ${duration(left < 90 ? left : 60 * Math.round(left / 60)).replace(" 00 s", "")} left`}.`;
  if (status === "storing") return stored < 1 ? `the topics of every document${stored ? `, ${percent(stored)} done` : ""}.` : "the names of the topics, and what stands out in the texts.";
  if (status === "done") return `${count(step)} ${step < steps ? `of ${count(steps)} ` : ""}steps in ${duration(seconds)}.`;
  if (status === "cancelled") return `at step ${count(step)}.`;
  return "";
}

function notice() {
  if (lost) return lost;
  if (state?.error || state?.notice) return state.error || state.notice; // why it failed, or waits
  return state && !ended(state.status) ? ofWorkers(state.workers) : "";
}

const bad = () => Boolean(lost || state?.error || (state?.notice && state.status !== "running")); // a training that runs only waits for its engine

function showNumbers() {
  const { status, step, steps } = state;
  part("status").textContent = names[status];
  const pill = document.querySelector(".run-status"); // in the header, the same on every page of the run
  pill.querySelector("span").textContent = names[status];
  pill.className = `run-status ${status}`;
  pill.ariaLabel = pill.ariaLabel.replace(/:.*/, `: ${names[status]}`);
  part("said").textContent = said();
  part("notice").textContent = notice();
  part("notice").classList.toggle("bad", bad());
  const bar = part("bar");
  bar.max = steps || 1;
  bar.value = step;
  const facts = {
    step: `${count(step)} of ${count(steps)}`, pass: `${count(state.pass)} of ${count(state.passes)}`, tokens: count(state.tokens), seconds: duration(state.seconds),
    left: status === "running" && state.left === null ? "estimating" : duration(state.left),
    documents_per_second: count(state.documents_per_second), tokens_per_second: count(state.tokens_per_second),
  };
  for (const [name, value] of Object.entries(facts)) page.querySelector(`[data-fact="${name}"]`).textContent = value;
  for (const item of page.querySelectorAll("[data-when]")) item.hidden = !item.dataset.when.split(" ").includes(status);
  for (const button of page.querySelectorAll("[data-when~=running] button")) button.disabled = Boolean(state.request);
  document.title = status === "running" && steps ? `${Math.floor((100 * step) / steps)}% · ${title}` : title;
}

// Charts, and their twin in words and numbers --------------------------------------------------------------------

const figures = [...page.querySelectorAll("[data-chart]")]; // webapp/core/runs/series.py says which, and all that is said of them

function summary(values, places) {
  const known = values.filter((value) => value !== null);
  if (!known.length) return "";
  const [first, now] = [known[0], known[known.length - 1]];
  return known.length < 2 ? `Now ${decimals(now, places)}.` : `From ${decimals(first, places)} to ${decimals(now, places)}.`;
}

function wait(plot, sentence) {
  if (plot.childElementCount) return;
  const line = document.createElement("p");
  line.className = "waiting";
  line.textContent = sentence;
  plot.append(line);
}

function drawCharts() {
  const { metrics, status, steps } = state;
  const last = metrics.step[metrics.step.length - 1];
  const width = ended(status) && last ? last : steps || 1; // a run that was stopped fills its axis too
  const pause = ended(status) ? "Nothing was measured." : "The first point comes a few seconds after training begins.";
  for (const figure of figures) {
    const { chart: name, places, unit, byTopic, missing } = figure.dataset;
    const plot = figure.querySelector("[data-plot]");
    if (byTopic === undefined) charts.line(plot, metrics.step, metrics[name], width, { places: Number(places), unit });
    else charts.byTopic(plot, metrics.step, metrics[name], metrics, state, width, lit);
    figure.querySelector("[data-summary]").textContent = summary(metrics[name], Number(places));
    wait(plot, last ? missing : pause);
  }
}

const formats = { count, decimals, percent };

function fillTable() {
  const { metrics } = state;
  if (!metrics.step.length) return;
  const columns = [...page.querySelectorAll("[data-column]")].map((head) => head.dataset);
  const rows = metrics.step.map((_, i) => {
    const row = document.createElement("tr");
    for (const { column, format, places } of columns) {
      const cell = row.insertCell();
      cell.className = "n";
      cell.textContent = formats[format](metrics[column][i], Number(places));
    }
    return row;
  });
  part("metrics").replaceChildren(...rows.reverse());
}

document.addEventListener("topiclight", ({ detail }) => {
  lit = detail;
  if (state?.metrics.topic_coherence) drawCharts();
});
addEventListener("themechange", () => state && drawCharts());

// What follows from the numbers of a progress event, where it does not say so itself.
function progress({ step, steps, tokens, seconds, left, tokens_per_second: speed, documents_per_second: documents }) {
  Object.assign(state, {
    status: state.status === "queued" ? "running" : state.status, step, steps, tokens, seconds,
    pass: steps ? Math.min(Math.floor((step * state.passes) / steps) + 1, state.passes) : state.pass,
    left: left ?? null,
    tokens_per_second: speed ?? (seconds ? tokens / seconds : null),
    documents_per_second: documents ?? state.documents_per_second,
  });
}

// News -----------------------------------------------------------------------------------------------------------

const forming = formingView(page.querySelector("[data-forming]"), ended);
const lead = leads(page);
const live = follow({
  json: page.dataset.run,
  events: page.dataset.events,
  onState(answer) {
    state = answer;
    showNumbers();
    drawCharts();
    fillTable();
    part("says").textContent = state.says || (ended(state.status) ? "Nothing was measured." : "No measures yet.");
    forming.show(state);
    if (state.status === "done") lead.done(state.url_overview);
    if (ended(state.status)) live.stop();
  },
  onEvent(event) {
    if (!state) return;
    if (event.type === "progress") progress(event);
    if (event.type === "storing") stored = event.documents / event.of;
    if (event.type === "workers") state.workers = event.alive;
    if (event.type === "status") Object.assign(state, { status: event.status, error: event.error, notice: event.notice });
    showNumbers();
    if (event.type === "snapshot" || event.type === "status") live.refresh();
  },
  onLost(value) {
    lost = value;
    part("notice").textContent = notice();
    part("notice").classList.toggle("bad", bad());
  },
});

// Who waits sees the queue grow shorter.
setInterval(() => state?.status === "queued" && live.refresh(), 10000);
