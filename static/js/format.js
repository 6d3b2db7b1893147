// How live numbers are written; webapp/platform/drawing/numbers.py says the same for the HTML.
const NONE = "–";
const missing = (x) => x === null || x === undefined;

export const count = (n) => (missing(n) ? NONE : Math.round(n).toLocaleString("en"));
export const decimals = (x, places = 3) => (missing(x) ? NONE : x.toFixed(places).replace("-", "−"));

export function percent(share) {
  if (missing(share)) return NONE;
  if (share > 0 && share < 0.00005) return "<0.01%";
  if (share > 0 && share < 0.002) return `${(100 * share).toFixed(2)}%`;
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
}

export function bytes(size) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (size >= 1000 && unit < 3) { size /= 1000; unit += 1; }
  return `${size.toFixed(unit === 0 || size >= 100 ? 0 : 1)} ${units[unit]}`;
}

export function duration(seconds) {
  if (missing(seconds)) return NONE;
  const s = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
}
