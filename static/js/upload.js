// Upload with drag and drop and a progress bar. Without this file the form still posts by itself.
import { bytes } from "./format.js";

const form = document.querySelector("[data-upload]");
const part = (name) => form.querySelector(`[data-${name}]`);
const input = form.elements.files;
const chosen = part("chosen"), hint = part("hint"), drop = part("drop"), error = part("error");
const transfer = part("transfer"), bar = transfer.querySelector("progress"), said = part("said");
const submit = form.querySelector("[type=submit]");

function describe() {
  const files = [...input.files];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  chosen.textContent = !files.length ? "Choose files" : files.length === 1 ? files[0].name : `${files.length} files`;
  hint.textContent = files.length ? bytes(size) : "or drop them here";
  error.hidden = true;
}
input.addEventListener("change", describe);
describe(); // a browser may keep the choice over a reload

// The input covers the drop area and takes the drop itself; only the look is ours.
for (const type of ["dragenter", "dragover"]) drop.addEventListener(type, () => drop.classList.add("over"));
for (const type of ["dragleave", "drop"]) drop.addEventListener(type, () => drop.classList.remove("over"));

function fail(sentence) {
  transfer.hidden = true;
  submit.disabled = false;
  error.textContent = sentence;
  error.hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const request = new XMLHttpRequest(); // fetch does not tell how much has been sent
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";

  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = total ? loaded / total : 0;
    said.textContent = loaded < total
      ? `${bytes(loaded)} of ${bytes(total)}, ${Math.floor((100 * loaded) / total)}%`
      : "Looking at the files…";
  };
  request.onload = () => {
    if (request.response?.url) location.assign(request.response.url);
    else fail(request.response?.error || `The server answered ${request.status}. Try again.`);
  };
  request.onerror = () => fail("The connection was lost, and nothing was stored. Try again.");
  request.onabort = () => fail("Cancelled; nothing was stored.");
  part("cancel").onclick = () => request.abort();

  submit.disabled = true;
  error.hidden = true;
  bar.value = 0;
  said.textContent = "Starting…";
  transfer.hidden = false;
  request.send(new FormData(form));
});

addEventListener("pageshow", () => { transfer.hidden = true; submit.disabled = false; });
