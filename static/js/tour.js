// The tour: a small panel that goes along from page to page. It begins when somebody presses a button with data-tour, and never by
// itself; what it says is in tour-steps.js. Nothing waits for it, and everything works beside it.
import { steps, waiting } from "./tour-steps.js";

const TOUR = "tour"; // in sessionStorage, as each tab may be on a tour of its own: {run, step, pages, moved}

const kept = (store, name) => { try { return JSON.parse(store.getItem(name)); } catch { return null; } };
const keep = (store, name, value) => { try { store.setItem(name, JSON.stringify(value)); } catch { /* it then ends with this page */ } };

let tour = kept(sessionStorage, TOUR);
let panel;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
const button = (text, act, className = "") => {
  const made = element("button", { type: "button", className, textContent: text });
  made.addEventListener("click", act);
  return made;
};

function show(title, text, buttons) {
  panel?.remove();
  panel = element("section", { className: "tour", tabIndex: -1 }, element("p", { className: "tour-title", id: "tour-title", textContent: title }),
    element("p", { textContent: text }), element("p", { className: "buttons" }, ...buttons));
  panel.setAttribute("aria-labelledby", "tour-title");
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") end(); });
  document.querySelector("main").before(panel);
}

function end() {
  const within = panel.contains(document.activeElement);
  panel.remove();
  try { sessionStorage.removeItem(TOUR); } catch { /* there was nothing */ }
  tour = null;
  if (within) document.querySelector("main").focus();
}

const placeOf = (pathname) => (pathname.startsWith(tour.run) ? pathname.slice(tour.run.length) : null);

function isAt({ at }, pathname) {
  const place = placeOf(pathname);
  return place !== null && (typeof at === "string" ? place === at : at.test(place));
}

// Where a step is: its own address, the page where it was before, or the first link to such a page.
function addressOf(number) {
  const step = steps[number];
  if (typeof step.at === "string") return tour.run + step.at;
  return tour.pages[number] ?? [...document.querySelectorAll("main a[href]")].find(({ pathname }) => isAt(step, pathname))?.href;
}

function go(number) {
  const address = addressOf(number);
  if (!address) return end(); // the page that should lead there does not: say no more
  keep(sessionStorage, TOUR, { ...tour, step: number, moved: true });
  if (location.pathname === address) begin(); // two steps on one page
  else location.assign(address);
}

function begin() {
  tour = kept(sessionStorage, TOUR);
  const { step: number, moved } = tour;
  const step = steps[number];
  if (placeOf(location.pathname) === null) return; // another corpus, a notebook, a page that is not there: the tour waits
  if (!isAt(step, location.pathname)) {
    show(step.title, waiting, [button("Go back to the tour", () => location.assign(tour.pages[number] ?? tour.run)), button("End the tour", end, "quiet")]);
    return;
  }
  const last = number === steps.length - 1;
  keep(sessionStorage, TOUR, { ...tour, moved: false, pages: { ...tour.pages, [number]: location.pathname + location.search } });
  tour = kept(sessionStorage, TOUR);
  show(`${number + 1} of ${steps.length}: ${step.title}`, step.text, [
    ...(number ? [button("Back", () => go(number - 1))] : []),
    last ? button("Done", end, "primary") : button("Next step", () => go(number + 1), "primary"),
    ...(last ? [] : [button("End the tour", end, "quiet")]),
  ]);
  if (moved) panel.focus(); // one came by the tour's own button, and goes on from there
}

function start() {
  const run = location.pathname.match(/^\/runs\/\d+\//)[0];
  tour = { run, step: 0, pages: {}, moved: true };
  keep(sessionStorage, TOUR, tour);
  scrollTo(0, 0); // one of its buttons is at the end of every page
  go(0);
}

for (const link of document.querySelectorAll("[data-tour]")) {
  link.hidden = false;
  link.addEventListener("click", start);
}
if (tour) begin();
