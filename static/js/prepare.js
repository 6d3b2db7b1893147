// A form whose parts show what its choices give: each change is sent to the server, whose answer's parts take the place of the page's.
const form = document.querySelector("[data-prepare]");
const said = form.querySelector("[data-said]");
const roles = { text: "Text", title: "Title", date: "Date", id: "Id" };
let timer, request;
let unsent = false; // whether something was changed that the server, which keeps what is chosen, has not seen

// Marks on the preview which column will be what.
function mark() {
  const table = form.querySelector("[data-preview]");
  if (!table) return;
  const picked = new Map(); // column -> names of its roles
  for (const [role, name] of Object.entries(roles)) {
    const value = form.elements[role]?.value;
    if (value === undefined || value === "") continue;
    picked.set(Number(value), [...(picked.get(Number(value)) ?? []), name]);
  }
  for (const row of table.rows) {
    [...row.cells].forEach((cell, column) => cell.classList.toggle("picked", picked.has(column)));
  }
  table.querySelectorAll("[data-role]").forEach((label, column) => {
    label.textContent = (picked.get(column) ?? []).join(", ");
  });
}

// The element that had the focus may be another one after a part is replaced: the one with the same name and value has it then.
function same(element) {
  if (!element?.name) return element?.id ? document.getElementById(element.id) : null;
  return [...form.elements].find(({ name, value }) => name === element.name && (element.type === "select-one" || value === element.value));
}

// What is wrong with fields that stay as they are.
function errors(next) {
  for (const field of form.querySelectorAll(".field")) {
    const twin = next.getElementById(field.querySelector("label").htmlFor)?.closest(".field");
    if (!twin) continue;
    field.classList.toggle("wrong", twin.classList.contains("wrong"));
    field.querySelector(".errorlist")?.remove();
    const list = twin.querySelector(".errorlist");
    if (list) form.querySelector(`#${CSS.escape(field.querySelector("label").htmlFor)}`).after(document.adoptNode(list));
    if (list) for (let box = field.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  }
}

// What stands where a button stood that is gone, such as a word that was left out: its next neighbour.
function inItsPlace(name, place) {
  const buttons = form.querySelectorAll(`button[name="${name}"]`);
  return buttons[Math.min(place, buttons.length - 1)];
}

function replace(next) {
  const focused = form.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.matches("button[name]") ? [...form.querySelectorAll(`button[name="${focused.name}"]`)].indexOf(focused) : -1;
  for (const part of form.querySelectorAll("[data-part]")) {
    const fresh = next.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!fresh) continue;
    if (part.dataset.part === "columns") { // what is typed there stays
      for (const input of part.querySelectorAll("input[type=text]")) fresh.querySelector(`[name="${input.name}"]`)?.replaceWith(input);
    }
    for (const open of part.querySelectorAll("details[id]")) {
      const twin = fresh.querySelector(`#${open.id}`);
      if (twin) twin.open = open.open;
    }
    part.replaceWith(document.adoptNode(fresh));
  }
  errors(next);
  if (focused && document.activeElement !== focused) {
    const again = focused.isConnected ? focused : same(focused) ?? (place >= 0 ? inItsPlace(focused.name, place) : null);
    again?.focus({ preventScroll: true });
  }
  mark();
}

const shown = () => [...form.querySelectorAll("[data-part]")].map((part) => part.textContent.replace(/\s+/g, " ")).join("\n");

// button: that asks, where what it says is a choice.
function choices(button) {
  const data = new FormData(form, button);
  data.set("preview", "1");
  return data;
}

// asked: by the button, which says so where nothing changed. button: whose value is a choice.
async function update(asked = false, button = undefined) {
  request?.abort(); // only the newest answer counts
  request = new AbortController();
  const data = choices(button);
  unsent = false;
  const slow = setTimeout(() => { said.textContent = "Counting …"; }, 600);
  try {
    const answer = await fetch(location, { method: "POST", body: data, signal: request.signal, headers: { Accept: "text/html" } });
    if (answer.redirected) return location.assign(answer.url); // it is being read already
    if (!answer.ok) throw new Error(answer.status);
    const before = shown();
    replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    said.textContent = !asked ? "" : shown() === before ? "Nothing changed: the page above already shows these choices." : "Updated above.";
  } catch (error) {
    if (error.name !== "AbortError") said.textContent = "The preview can’t be shown now: the server did not answer.";
  } finally {
    clearTimeout(slow);
  }
}

form.addEventListener("input", ({ target }) => {
  unsent = true;
  if (target.name === "name") return;
  mark();
  clearTimeout(timer);
  timer = setTimeout(() => update(), target.matches("input[type=checkbox], select") ? 0 : 300);
});

form.addEventListener("submit", () => {
  unsent = false;
  clearTimeout(timer);
  request?.abort();
});

form.addEventListener("click", (event) => {
  const button = event.target.closest("button[name]");
  if (!button || button.name === "propose") return;
  event.preventDefault();
  if (button.name === "leave_out") {
    const words = form.elements.extra_stop_words;
    words.value = `${words.value} ${button.value}`.trim();
  } else if (button.name === "keep") {
    const kept = Object.assign(document.createElement("input"), { type: "hidden", name: "kept_words" });
    kept.value = button.value;
    button.after(kept);
  }
  clearTimeout(timer);
  update(button.name === "preview", button.name === "other_list" ? button : undefined);
});

addEventListener("pagehide", () => {
  if (unsent && form.dataset.prepare === "kept") navigator.sendBeacon(location, choices());
});

// On a phone each part of what can be changed is a line that says what is chosen.
if (matchMedia("(max-width: 40rem)").matches) {
  for (const part of form.querySelectorAll("details.fold:not(:has(.errorlist))")) part.open = false;
}

mark();
