// An address says only what was chosen: fields that were left empty stay out of it.
for (const form of document.querySelectorAll("form[data-choose]")) {
  const fields = [...form.elements].filter((field) => field.name);
  form.addEventListener("submit", () => {
    for (const field of fields) field.disabled = field.value === "" || (field.name === "least" && !form.elements.with?.value);
  });
  addEventListener("pageshow", () => { for (const field of fields) field.disabled = false; }); // when one comes back
}
