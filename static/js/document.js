// Marks the words that a topic explains. Each topic is a link that does the same without JavaScript.
const text = document.querySelector("#text");
const said = document.querySelector("[data-marked]");
const picks = [...document.querySelectorAll(".pick")];
const words = [...text.querySelectorAll(".w")];

function show(topic) {
  let marked = 0;
  for (const word of words) {
    const on = word.dataset.topic === topic;
    word.classList.toggle("on", on);
    marked += on;
  }
  for (const pick of picks) {
    const on = pick.dataset.topic === topic;
    pick.setAttribute("aria-pressed", on);
    pick.href = `?${on ? "" : `topic=${pick.dataset.topic}`}#text`;
  }
  const label = picks.find((pick) => pick.dataset.topic === topic)?.querySelector(".chip").textContent;
  said.textContent = label ? `${label} explains the ${marked} marked ${marked === 1 ? "word" : "words"} of ${words.length}.` : "";
}

function choose(topic) {
  const address = new URL(location);
  if (topic === null) address.searchParams.delete("topic");
  else address.searchParams.set("topic", topic);
  history.pushState(null, "", address);
  show(topic);
}

const asked = () => new URL(location).searchParams.get("topic");
for (const pick of picks) {
  const toggle = (event) => {
    event.preventDefault();
    choose(pick.getAttribute("aria-pressed") === "true" ? null : pick.dataset.topic);
  };
  pick.addEventListener("click", (event) => {
    if (!event.metaKey && !event.ctrlKey && !event.shiftKey) toggle(event);
  });
  pick.addEventListener("keydown", (event) => { if (event.key === " ") toggle(event); }); // as buttons do
}
// In the text itself a click on a word asks the other way round: which topic explains it?
text.addEventListener("click", ({ target }) => {
  if (target.matches(".w") && getSelection().isCollapsed) choose(target.classList.contains("on") ? null : target.dataset.topic);
});
addEventListener("popstate", () => show(asked()));
show(asked());
