// What is pinned is said at the foot of the window, where it covers no heading or button, and the page stays where it was: a reader
// does not lose the place.
// Without this file the form is sent, and the next page says it at its top.
const SHOWN = 10_000; // ms that the answer stays
const PINNED_ALREADY = 409; // HTTP
const LOST = "The server does not answer, so nothing was pinned. Try again in a moment.";

// A screen reader announces what comes into an element that is there before.
const said = document.createElement("ul");
said.className = "messages toast";
said.setAttribute("role", "status");
document.body.append(said);
let timer;

function linked({ notebook, url }) {
  const link = document.createElement("a");
  link.href = url;
  link.textContent = notebook;
  return link;
}

// What the notebook has already is pinned once more only when the reader says so.
function offered(kept, form, button) {
  const again = document.createElement("button");
  again.type = "button";
  again.className = "quiet";
  again.textContent = "Pin it once more";
  again.addEventListener("click", () => send(form, button, true));
  return ["This is pinned already in ", linked(kept), ", so nothing was added. ", again];
}

function say(parts, failed) {
  const line = document.createElement("li");
  line.className = failed ? "error" : "success";
  line.append(...parts);
  said.replaceChildren(line);
  clearTimeout(timer);
  timer = setTimeout(() => said.replaceChildren(), SHOWN);
}

// As the browser does without this file.
function sendPlainly(form, button) {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: button.name, value: button.value });
  if (button.name) form.append(field);
  form.submit();
}

async function send(form, button, isRepeated = false) {
  const body = new FormData(form, button);
  if (isRepeated) body.set("again", "1");
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-In-Place": "1", Accept: "application/json" } });
    if (answer.redirected || !(answer.headers.get("Content-Type") ?? "").includes("json")) return sendPlainly(form, button); // such as a page to sign in
    const kept = await answer.json();
    const panel = form.closest("details.pin");
    if (answer.status === PINNED_ALREADY) return say(offered(kept, form, button), false); // what was typed to it stays
    if (answer.ok && panel) panel.open = false;
    say(answer.ok ? ["Pinned in ", linked(kept), "."] : [kept.error], !answer.ok);
    if (answer.ok && panel) panel.querySelector("summary").focus();
  } catch {
    say([LOST], true);
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!("inPlace" in form.dataset)) return;
  event.preventDefault();
  send(form, event.submitter ?? form.querySelector("[type=submit]"));
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") said.replaceChildren(); });
