// The charts of a notebook: in place of what the server drew of a pin's numbers, lines that can be pointed at and enlarged.
// Needs nothing but the page, so that a shared notebook shows what its reader may see. The table stays, below.
import { keptLines } from "./charts.js";

const INTERVAL = ": 95% low"; // a column of the ends of intervals (webapp/platform/drawing/tables.py)
const number = (cell) => (/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(cell) ? Number(cell) : null);

for (const drawn of document.querySelectorAll(".kept-chart")) {
  if (drawn.classList.contains("kept-map")) continue; // no lines
  const table = drawn.closest(".piece").querySelector(".kept table");
  if (table.tHead.textContent.includes(INTERVAL)) continue; // the server's drawing has the intervals
  const columns = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.value));
  const lines = columns.map((label, i) => ({ label, values: rows.map((row) => number(row[i + 1])) }));
  const ticks = [...drawn.querySelectorAll("text[data-position]")]
    .map((tick) => ({ position: Number(tick.dataset.position), text: tick.textContent }));
  const plot = document.createElement("div");
  plot.className = "plot";
  drawn.replaceWith(plot);
  const draw = () => keptLines(plot, rows.map(([label]) => label), lines, ticks);
  addEventListener("themechange", draw);
  draw();
}
