// The charts of a notebook: the numbers that a pin has kept, drawn as lines that can be pointed at and enlarged. Needs
// nothing but the page, so that a shared notebook shows what its reader may see. The table stays, below.
import { keptLines } from "./charts.js";

const number = (cell) => (/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(cell) ? Number(cell) : null);

for (const table of document.querySelectorAll(".piece .kept table")) {
  const columns = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const lines = columns.map((label, i) => ({ label, values: rows.map((row) => number(row[i + 1])) }));
  const known = lines.flatMap(({ values }) => values).filter((value) => value !== null);
  if (rows.length < 2 || !known.length || Math.max(...known) > 1 || Math.min(...known) < 0) continue; // no shares
  const plot = document.createElement("div");
  plot.className = "plot";
  const kept = table.closest(".kept");
  kept.before(plot);
  keptLines(plot, rows.map(([label]) => label), lines);
  kept.open = false;
}
