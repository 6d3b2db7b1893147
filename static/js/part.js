// A part of a page that changes while a worker works: fetched alone every few seconds, and put in the place of the old one.
//   <section data-part="measures" data-every="3" data-state="2">
// data-part: its name, which the view knows (webapp/platform/pages/typed.py). data-address: where to ask, else here. data-every: seconds;
// without it nothing more comes. data-state: where the fresh one has another, the rest of the page has changed, too, or data-then
// of the fresh one is where to go. data-ready: an address of JSON, asked instead of the part: where its `ready` is true, the page is
// loaded, and where its `has_failed` is not what data-failed says. An element [data-lost] in it says when the server does not answer.
import { LOST } from "./live.js";

// What somebody writes is not lost: while a box to pin is open, or what was typed is not sent, another page waits.
let isUnsent = false;
addEventListener("input", ({ target }) => { if (target.form?.method === "post") isUnsent = true; });
addEventListener("submit", () => { isUnsent = false; });
const isSomebodyWriting = () => isUnsent || document.querySelector("details.pin[open]") !== null;

function sayThatNewsWait(part) {
  if (document.querySelector("[data-news]")) return;
  const line = document.createElement("p");
  Object.assign(line, { className: "notice", role: "status" });
  line.dataset.news = "";
  const link = document.createElement("a");
  Object.assign(link, { href: location.pathname + location.search, textContent: "Load this page again" });
  line.append("There is something new here. It is shown when you have sent what you write. ", link, " to see it now.");
  part.before(line);
}

function follow(part) {
  const wait = () => part.dataset.every && setTimeout(look, 1000 * part.dataset.every);
  let missed = 0;

  // The answer and its text, null where the server, or the rest of its answer, did not come.
  async function ask() {
    try {
      const answer = await fetch(part.dataset.ready ?? part.dataset.address ?? location.href, { headers: { "X-Part": part.dataset.part } });
      return { status: answer.status, ok: answer.ok, text: await answer.text() };
    } catch {
      return null;
    }
  }

  // load: what brings the other page
  function leave(load) {
    if (!isSomebodyWriting()) return load();
    sayThatNewsWait(part);
    return wait();
  }

  async function look() {
    if (document.hidden) return wait();
    const answer = await ask();
    if ([401, 403, 404].includes(answer?.status)) return location.reload(); // it is gone, or may not be seen any more
    missed = answer?.ok ? 0 : missed + 1;
    const notice = part.querySelector("[data-lost]");
    if (missed > 1 && notice && notice.textContent !== LOST) notice.textContent = LOST;
    if (missed) return wait();
    if (part.dataset.ready) {
      const { ready, has_failed } = JSON.parse(answer.text);
      return ready || String(has_failed) !== part.dataset.failed ? leave(() => location.reload()) : wait();
    }
    const fresh = new DOMParser().parseFromString(answer.text, "text/html").querySelector(`[data-part=${part.dataset.part}]`);
    if (!fresh) return location.reload(); // another page came, such as that to sign in
    if (fresh.dataset.state !== part.dataset.state) return leave(() => fresh.dataset.then ? location.replace(fresh.dataset.then) : location.reload());
    morph(part, fresh);
    wait();
  }

  wait();
}

// What is the same stays, and with it focus, the place in a table that is scrolled, and the silence of a screen reader.
function morph(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType === Node.TEXT_NODE && now.nodeType === Node.TEXT_NODE) old.data = now.data;
  else if (old.nodeName !== now.nodeName) old.replaceWith(now);
  else {
    for (const name of old.getAttributeNames()) if (!now.hasAttribute(name)) old.removeAttribute(name);
    for (const name of now.getAttributeNames()) if (old.getAttribute(name) !== now.getAttribute(name)) old.setAttribute(name, now.getAttribute(name));
    const [was, is] = [[...old.childNodes], [...now.childNodes]];
    if (was.length === is.length) was.forEach((child, i) => morph(child, is[i]));
    else old.replaceChildren(...is);
  }
}

document.querySelectorAll("[data-part]").forEach(follow);
