// The topics of a run. What is chosen stands in the address; the server draws the page for an address, and this module takes
// from its answer the parts that follow from the choice.
import { chart } from "./map.js";
import { timeline } from "./timeline.js";

let request;

// Go to an address without leaving the page: replace every element with the same data-part by the answer's.
export async function show(address) {
  history.replaceState(null, "", address);
  request?.abort(); // only the newest answer counts
  request = new AbortController();
  try {
    const answer = await fetch(address, { signal: request.signal, headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return location.assign(address); // such as to the page to sign in
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = next.querySelector(`[data-part="${part.dataset.part}"]`);
      if (fresh) part.replaceWith(document.adoptNode(fresh));
    }
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address);
  }
}

function choose(topics) {
  const address = new URL(location);
  for (const name of ["topics", "family"]) address.searchParams.delete(name);
  address.searchParams.delete("after");
  if (topics.length) address.searchParams.set("topics", topics.join(","));
  address.search = address.search.replaceAll("%2C", ","); // as the server writes it
  show(address);
}

const map = document.querySelector("[data-map]");
if (map) chart(map, choose);

const stack = document.querySelector("[data-stack]");
if (stack) {
  timeline(stack, (from, to) => {
    const address = new URL(location);
    for (const [name, value] of Object.entries({ from, to })) address.searchParams.set(name, value);
    location.assign(address); // all of the page is counted anew
  });
}

// Enter in the name of a group groups the ticked topics, as the button beside it does.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches(".joined input")) return;
  event.preventDefault();
  event.target.parentElement.querySelector("button").click();
});
