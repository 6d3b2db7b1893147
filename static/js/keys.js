// Single keys, for those who read with their hands on the keyboard. Pages say by markup where the keys lead:
//   a[rel=prev], a[rel=next]   the neighbours, in the page's .pager where there is one
//   a[data-key="g t"]          where these keys go
//   input[type=search]         the page's search; where there is none, "/" goes to that of the documents
const OFF = "keys-off";
const SEARCH = "#search";
const PAUSE = 1500; // ms in which the second key of two must come
const TYPED_IN = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])";
const HAS_ARROWS = "input, [role=slider], [role=tab], [role=listbox], [role=grid], [role=region][tabindex='0']"; // of its own; a region that has the focus is scrolled

const dialog = document.querySelector("#keys");
const opener = document.querySelector("[data-keys]");
const inUse = dialog.querySelector("[data-keys-on]");
let before = ""; // the first of two keys
let timer;

// Remembered where the browser allows it; else it holds for this page.
const remembered = () => { try { return localStorage.getItem(OFF); } catch { return null; } };
const remember = (off) => { try { off ? localStorage.setItem(OFF, "1") : localStorage.removeItem(OFF); } catch { /* this page only */ } };

const follow = (link) => { link?.click(); return Boolean(link); };
const at = (key) => document.querySelector(`a[data-key="${CSS.escape(key)}"]`);

function neighbour(rel) {
  const scope = document.querySelector(".pager") ?? document.querySelector("main");
  return follow(scope.querySelector(`a[rel~="${rel}"]`));
}

function search() {
  const field = document.querySelector("main input[type=search]");
  const elsewhere = at("g d");
  if (field) field.select(); // focuses it, too
  else if (elsewhere) location.assign(`${elsewhere.href}${SEARCH}`);
  return Boolean(field ?? elsewhere);
}

function show() {
  if (!dialog.open) dialog.showModal();
  return true;
}

const act = {
  "/": search, "?": show,
  ArrowLeft: () => neighbour("prev"), k: () => neighbour("prev"),
  ArrowRight: () => neighbour("next"), j: () => neighbour("next"),
};

function pressed(event) {
  const { key, target } = event;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!inUse.checked || document.querySelector("dialog[open]") || target.closest?.(TYPED_IN)) return;
  if (key.startsWith("Arrow") && target.closest?.(HAS_ARROWS)) return;
  if (event.shiftKey && key !== "?" && key !== "/") return; // with Shift the arrows select text
  const pair = before && `${before} ${key}`;
  clearTimeout(timer);
  before = "";
  if (pair ? follow(at(pair)) : act[key]?.()) return event.preventDefault();
  if (key !== "g") return;
  before = key;
  timer = setTimeout(() => { before = ""; }, PAUSE);
}

inUse.checked = !remembered();
inUse.addEventListener("change", () => remember(!inUse.checked));
opener.addEventListener("click", show);
opener.hidden = false;
document.addEventListener("keydown", pressed);

if (location.hash === SEARCH) search();

// On a phone the rooms are a strip that scrolls: the one that the reader is in must be in sight.
const strip = document.querySelector(".rooms");
const here = strip?.querySelector("[aria-current]");
if (here) strip.scrollLeft = here.offsetLeft - (strip.clientWidth - here.offsetWidth) / 2;
