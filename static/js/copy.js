// Copies the text that a button names, and says so. Without a script the text can be marked and copied as any other.
async function copied(place) {
  try {
    await navigator.clipboard.writeText(place.textContent);
    return true;
  } catch { // no permission, or an address without https: what is marked can still be copied
    getSelection().selectAllChildren(place);
    return document.execCommand("copy");
  }
}

const said = document.querySelector("[data-copied]");
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copied(document.getElementById(button.dataset.copy));
    said.textContent = done ? `Copied: ${button.dataset.name}.` : "It could not be copied; mark the text and copy it.";
  });
}
