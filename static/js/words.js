// Offers words of the vocabulary while one types.
const OFFERED = 12;
const form = document.querySelector("[data-words]");
const input = form.elements.q;
const list = document.querySelector("#words");
let request;

input.addEventListener("input", async () => {
  request?.abort(); // only the newest answer counts
  request = new AbortController();
  const address = new URL(form.dataset.words, location);
  address.searchParams.set("q", input.value);
  try {
    const answer = await fetch(address, { signal: request.signal });
    if (!answer.ok) return;
    const { words } = await answer.json();
    list.replaceChildren(...words.slice(0, OFFERED).map(({ word }) => new Option(word)));
  } catch (error) {
    if (error.name !== "AbortError") list.replaceChildren(); // offline: the form still works once it is back
  }
});
