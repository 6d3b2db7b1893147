// Two sets: a link to a topic's line opens the closed table that has it, and brings it into view.
function show() {
  const line = document.getElementById(location.hash.slice(1));
  const table = line?.closest("details");
  if (!table) return;
  table.open = true;
  line.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", show);
show();

// The days that the form proposes are for two times: whoever chooses a group means all of its time.
for (const group of document.querySelectorAll("form.two select")) {
  group.addEventListener("change", () => {
    for (const day of document.querySelectorAll("form.two [data-proposed]")) {
      if (day.value === day.defaultValue) day.value = "";
    }
  });
}
