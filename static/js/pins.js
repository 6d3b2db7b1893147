// What is pinned is said at the foot of the window, where it covers no heading or button, and the page stays where it was: a reader
// does not lose the place.
// Without this file the form is sent, and the next page says it at its top.
const SHOWN = 10_000; // ms that the answer stays
const LOST = "The server does not answer, so nothing was pinned. Try again in a moment.";

// A screen reader announces what comes into an element that is there before.
const said = document.createElement("ul");
said.className = "messages toast";
said.setAttribute("role", "status");
document.body.append(said);
let timer;

function pinned({ notebook, url }) {
  const link = document.createElement("a");
  link.href = url;
  link.textContent = notebook;
  return ["Pinned in ", link, "."];
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

async function send(form, button) {
  const body = new FormData(form, button);
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-In-Place": "1", Accept: "application/json" } });
    if (answer.redirected || !(answer.headers.get("Content-Type") ?? "").includes("json")) return sendPlainly(form, button); // such as a page to sign in
    const kept = await answer.json();
    const panel = form.closest("details.pin");
    if (answer.ok && panel) panel.open = false;
    say(answer.ok ? pinned(kept) : [kept.error], !answer.ok);
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
