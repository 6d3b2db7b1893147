// Coding without the mouse: a digit gives the text that code, "u" marks it as unsure, "r" goes to the remark.
const form = document.querySelector("[data-coding]");
const buttons = form ? [...form.querySelectorAll("button[name=code]")] : [];

// Between an answer, or ←, and the text that comes then, a digit would code the text that is being left.
let leaving = false;
addEventListener("pageshow", () => { leaving = false; });
form?.addEventListener("submit", () => { leaving = true; });
// Who stops the sending stays on the text
addEventListener("keydown", (event) => { if (event.key === "Escape") leaving = false; });

document.addEventListener("keydown", (event) => {
  if (leaving || !form || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text], textarea")) return;
  if (event.key === "ArrowLeft") { leaving = Boolean(document.querySelector("[rel=prev]")); return; }
  if (event.key === "u") form.unsure.checked = !form.unsure.checked;
  else if (event.key === "r") form.remark.focus();
  else if (/^[1-9]$/.test(event.key) && buttons[event.key - 1]) buttons[event.key - 1].click();
  else return;
  event.preventDefault();
});

// The definition stays as it was left: open, or shut where its reader knows it by heart.
const means = document.querySelector(".means");
if (means && sessionStorage.getItem("means") === "shut") means.open = false;
means?.addEventListener("toggle", () => sessionStorage.setItem("means", means.open ? "open" : "shut"));
