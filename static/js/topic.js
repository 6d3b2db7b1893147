// The words of a topic follow the slider of relevance: the server orders them, this module asks for them as it moves.
const form = document.querySelector("[data-relevance]");
const slider = form.elements.lambda;
const allWords = new URL(form.dataset.relevance, location); // the page of all words; a topic's own page shows its first
const isOwnPage = allWords.pathname !== location.pathname;
let request;

// The list itself: on a topic's own page as many words as it shows, without the links of the page of all words.
function replace(part, next) {
  if (!isOwnPage) {
    part.replaceWith(document.adoptNode(next));
    return;
  }
  const shown = part.querySelectorAll("tbody tr").length;
  for (const row of [...next.querySelectorAll("tbody tr")].slice(shown)) row.remove();
  const [table, fresh] = [part.querySelector("table"), next.querySelector("table")];
  if (table && fresh) table.replaceWith(document.adoptNode(fresh));
  part.querySelector("#words-said").replaceWith(document.adoptNode(next.querySelector("#words-said")));
}

// Links to the same page, and to all words, lead to the order that is shown.
function keepOrderInLinks() {
  for (const link of document.querySelectorAll("main a[href*='?']")) {
    if (link.pathname !== location.pathname && link.pathname !== allWords.pathname) continue;
    const address = new URL(link.href);
    address.searchParams.set("lambda", slider.value);
    link.href = address;
  }
}

async function order() {
  const here = new URL(location);
  here.searchParams.set("lambda", slider.value);
  if (!isOwnPage) here.searchParams.delete("after"); // another order is read from its beginning
  history.replaceState(null, "", here);
  const address = new URL(allWords);
  address.search = here.search;
  for (const name of ["after", "rank", "by"]) address.searchParams.delete(name);
  request?.abort(); // only the newest answer counts
  request = new AbortController();
  try {
    const answer = await fetch(address, { signal: request.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-part=words]");
    replace(document.querySelector("[data-part=words]"), next);
    keepOrderInLinks();
  } catch (error) {
    if (error.name !== "AbortError") form.querySelector("[data-go]").hidden = false; // offline: the form still works once it is back
  }
}

form.querySelector("[data-go]").hidden = true;
slider.addEventListener("input", order);
