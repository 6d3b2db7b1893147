// A part of a page that tells of a worker's work: fetched anew every few seconds while that goes on, and put in the place of
// the old one. With data-reload the whole page is loaded again at the end, as it can show more then.
const EVERY = 3000; // ms
const part = document.querySelector("[data-live]");

const wait = () => setTimeout(look, EVERY);

async function look() {
  if (document.hidden) return wait();
  let fresh = null;
  try {
    const answer = await fetch(location.href);
    if ([401, 403, 404].includes(answer.status)) return location.reload(); // it is gone, or may not be seen any more
    if (answer.ok) fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch { /* the server is away: it is asked again */ }
  if (!fresh) return wait();
  const now = fresh.querySelector("[data-live]");
  const waits = now && "waiting" in now.dataset;
  if (!now || (!waits && "reload" in part.dataset)) return location.reload();
  put(now);
  if (waits) wait();
}

// Text is changed where it is another, so a screen reader says nothing twice; focus stays on the link or button that had it.
function put(now) {
  const [said, says] = [part, now].map((section) => section.querySelector("[role=status]"));
  if (said.textContent !== says.textContent) said.textContent = says.textContent;
  const [old, lines] = [part, now].map((section) => section.querySelector("ul"));
  const nameOf = (element) => element.getAttribute("href") ?? element.closest("form")?.getAttribute("action");
  const focused = old.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  old.replaceChildren(...lines.childNodes);
  if (focused) [...old.querySelectorAll("a, button")].find((element) => nameOf(element) === focused)?.focus();
}

wait();
