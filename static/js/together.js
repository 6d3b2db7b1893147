// The table of several runs while some of them train: fetched anew every few seconds, and put in the place of the old one.
const EVERY = 3000; // ms
const part = document.querySelector("[data-together]");

const done = (section) => section.querySelectorAll("tbody tr:not(:has(.status))").length;
const wait = () => setTimeout(look, EVERY);

async function look() {
  if (document.hidden) return wait();
  let fresh = null;
  try {
    const answer = await fetch(part.dataset.together);
    if ([401, 403, 404].includes(answer.status)) return location.reload(); // they are gone, or may not be seen any more
    if (answer.ok) fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-together]");
  } catch { /* the server is away: it is asked again */ }
  if (!fresh) return wait();
  if (done(fresh) !== done(part) || !("active" in fresh.dataset)) return location.reload(); // the page below knows more now, too
  put(fresh);
  wait();
}

// Text is changed where it is another, so a screen reader says nothing twice; focus stays on the link that had it.
function put(fresh) {
  const [said, says] = [part, fresh].map((section) => section.querySelector("[data-progress]"));
  if (said.textContent !== says.textContent) said.textContent = says.textContent;
  const [old, now] = [part, fresh].map((section) => section.querySelector("[data-swap]"));
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const scrolled = old.querySelector(".scroll").scrollLeft;
  old.replaceChildren(...now.childNodes);
  old.querySelector(".scroll").scrollLeft = scrolled;
  if (focused) [...old.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
}

wait();
