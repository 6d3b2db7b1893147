// A passage can be dragged into a notebook: by its link ("Cite or pin", "Cite"), or by what is marked in a document's text.
// Dropping it sends the form of the passage's own page, so that it is pinned as by pressing Pin there.
const PASSAGE = /\/(?:runs|corpora)\/\d+\/documents\/\d+\/passages\/\d+-\d+\/$/;
const OFFERED = 6; // notebooks

const tray = document.createElement("aside");
tray.className = "drop-tray";
tray.setAttribute("aria-hidden", "true"); // of the mouse alone: Pin does the same by keyboard
tray.hidden = true;
document.body.append(tray);

const said = document.createElement("p");
said.className = "drop-said";
said.setAttribute("role", "status");
document.body.append(said);

function passageOf(event) {
  const element = event.target.nodeType === Node.TEXT_NODE ? event.target.parentElement : event.target;
  const text = document.querySelector("#text");
  const link = text?.contains(element) ? document.querySelector("[data-cite]:not([hidden]) a") : element.closest?.("a[href]");
  return link && PASSAGE.test(new URL(link.href).pathname) ? link.href : null;
}

async function formOf(address) {
  const answer = await fetch(address);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("form[action$='/notebooks/pin/']:has(input[name=kind][value=passage])");
}

async function pin(form, notebook, name) {
  const body = new FormData(form);
  body.set("notebook", notebook);
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body }).catch(() => null); // null: the server is away
  const isThere = answer?.status === 409; // HTTP: the notebook has the passage
  said.textContent = isThere ? `This passage is pinned already in ${name}.` : answer?.ok ? `Pinned in ${name}.` : "This passage could not be pinned. Open it and press Pin.";
}

function place(form, notebook, name) {
  const zone = document.createElement("p");
  zone.textContent = name;
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); pin(form, notebook, name); });
  return zone;
}

let dragged = null; // the address of the passage that is being dragged now

document.addEventListener("dragstart", async (event) => {
  const address = passageOf(event);
  dragged = address;
  if (!address) return;
  const form = await formOf(address).catch(() => null);
  if (!form || dragged !== address) return; // who may keep nothing, a text under embargo, or one that was dropped meanwhile
  const options = [...form.elements.notebook.options];
  const offered = [...options.slice(0, OFFERED), ...options.slice(OFFERED).slice(-1)];
  tray.replaceChildren("Drop into a notebook", ...offered.map((option) => place(form, option.value, option.text)));
  tray.hidden = false;
});
document.addEventListener("dragend", () => {
  dragged = null;
  tray.hidden = true;
});
