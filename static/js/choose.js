// An address says only what was chosen: fields that were left empty stay out of it, and how much of a topic where none is chosen.
function withoutEmpty({ formData }) {
  for (const name of new Set(formData.keys())) {
    const filled = formData.getAll(name).filter((value) => value !== "");
    formData.delete(name);
    for (const value of filled) formData.append(name, value);
  }
}

for (const form of document.querySelectorAll("form[data-choose]")) {
  const topic = form.elements.with;
  form.addEventListener("formdata", (event) => {
    withoutEmpty(event);
    if (topic && !topic.value) event.formData.delete("least");
  });
}
