// Marks on the preview which column will be what, as the selects change.
const form = document.querySelector("[data-prepare]");
const table = form.querySelector("[data-preview]");
const roles = { text: "Text", title: "Title", date: "Date", id: "Id" };

function mark() {
  const picked = new Map(); // column -> names of its roles
  for (const [role, name] of Object.entries(roles)) {
    const value = form.elements[role]?.value;
    if (value === undefined || value === "") continue;
    picked.set(Number(value), [...(picked.get(Number(value)) ?? []), name]);
  }
  for (const row of table.rows) {
    [...row.cells].forEach((cell, column) => cell.classList.toggle("picked", picked.has(column)));
  }
  table.querySelectorAll("[data-role]").forEach((label, column) => {
    label.textContent = (picked.get(column) ?? []).join(", ");
  });
}

if (table) {
  form.addEventListener("change", mark);
  mark();
}
