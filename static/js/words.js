// Offers words of the vocabulary while one types: a combobox with a list (WAI-ARIA Authoring Practices 1.2, "list autocomplete
// with manual selection"). In a form with data-open a chosen word opens its page, else it is put into the field.
const OFFERED = 10;
let lists = 0;

function combobox(input) {
  const form = input.form;
  const list = document.createElement("ul");
  let options = []; // {word, url, item}
  let active = -1;
  let request;

  list.id = `offered-${(lists += 1)}`;
  list.className = "offered";
  list.role = "listbox";
  list.ariaLabel = "Words";
  list.hidden = true;
  input.after(list);
  const set = (name, value) => (value === null ? input.removeAttribute(name) : input.setAttribute(name, value));
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) set(name, value);

  function point(i) {
    active = i;
    options.forEach(({ item }, j) => item.setAttribute("aria-selected", j === i));
    set("aria-activedescendant", i < 0 ? null : options[i].item.id);
    if (i >= 0) options[i].item.scrollIntoView({ block: "nearest" });
  }

  function close() {
    request?.abort(); // an answer that is on its way opens nothing any more
    list.hidden = true;
    set("aria-expanded", "false");
    point(-1);
  }

  function choose({ word, url }) {
    if (form.dataset.open !== undefined) return location.assign(url);
    input.value = word;
    close();
  }

  function show(words) {
    options = words.slice(0, OFFERED).map(({ word, url, tokens }, i) => {
      const item = document.createElement("li");
      const times = document.createElement("span");
      item.role = "option";
      item.id = `${list.id}-${i}`;
      item.dir = "auto";
      item.textContent = `${word} `;
      times.className = "aside";
      times.textContent = tokens.toLocaleString("en");
      item.append(times);
      item.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
      item.addEventListener("click", () => choose({ word, url }));
      return { word, url, item };
    });
    list.replaceChildren(...options.map(({ item }) => item));
    list.hidden = !options.length;
    set("aria-expanded", String(!list.hidden));
    point(-1);
  }

  input.addEventListener("input", async () => {
    request?.abort(); // only the newest answer counts
    request = new AbortController();
    if (!input.value.trim()) return show([]);
    const address = new URL(form.dataset.words, location);
    address.searchParams.set("word", input.value);
    try {
      const answer = await fetch(address, { signal: request.signal });
      if (!answer.ok) return;
      const { items, alike } = await answer.json();
      show(items.length ? items : alike);
    } catch (error) {
      if (error.name !== "AbortError") close(); // offline: the form still works once it is back
    }
  });

  input.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!options.length) return;
      event.preventDefault();
      list.hidden = false;
      set("aria-expanded", "true");
      const step = event.key === "ArrowDown" ? 1 : -1;
      point(active < 0 && step < 0 ? options.length - 1 : (active + step + options.length) % options.length);
    } else if (event.key === "Escape" && open) {
      event.preventDefault(); // closes the list, and does not yet clear the field
      close();
    } else if (event.key === "Enter" && open && active >= 0) {
      event.preventDefault();
      choose(options[active]);
    }
  });
  input.addEventListener("blur", close);

  // A whole word opens its page at once; what is only a beginning is answered with a list.
  form.addEventListener("submit", (event) => {
    const exact = form.dataset.open !== undefined && options.find(({ word }) => word === input.value.trim().toLowerCase());
    if (!exact) return;
    event.preventDefault();
    location.assign(exact.url);
  });
}

for (const input of document.querySelectorAll("[data-complete]")) combobox(input);
