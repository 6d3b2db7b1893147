// The words of a topic follow the slider of relevance: the server orders them, this module asks for them as it moves.
const form = document.querySelector("[data-relevance]");
const slider = form.elements.lambda;
let request;

async function order() {
  const here = new URL(location);
  here.searchParams.set("lambda", slider.value);
  history.replaceState(null, "", here);
  const address = new URL(form.dataset.relevance, location);
  address.search = here.search;
  for (const name of ["after", "rank", "by"]) address.searchParams.delete(name);
  request?.abort(); // only the newest answer counts
  request = new AbortController();
  try {
    const answer = await fetch(address, { signal: request.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-part=words]");
    const part = document.querySelector("[data-part=words]");
    const shown = part.querySelectorAll("tbody tr").length;
    for (const row of [...next.querySelectorAll("tbody tr")].slice(shown)) row.remove(); // the page of all words has more of them
    const [table, fresh] = [part.querySelector("table"), next.querySelector("table")];
    if (table && fresh) table.replaceWith(document.adoptNode(fresh));
    part.querySelector("#words-said").replaceWith(document.adoptNode(next.querySelector("#words-said")));
  } catch (error) {
    if (error.name !== "AbortError") form.querySelector("[data-go]").hidden = false; // offline: the form still works once it is back
  }
}

form.querySelector("[data-go]").hidden = true;
slider.addEventListener("input", order);
