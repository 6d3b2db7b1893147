// Leads from a training that has just ended to its overview, or a steered one to what changed (data-to), unless the reader is at work on the page or said that it should stay.
const WAIT = 4000; // ms between saying so and going
const BUSY = 6000; // ms since the last key or press in which the reader counts as at work
const SIGNS = ["pointerdown", "keydown", "wheel", "touchstart", "input"];

// leads(page): `done(url)` is called when the run is done. A page that was opened after that leads nowhere, unless the corpus's page led to it
// (#lead): a short training may end on the way.
export function leads(page) {
  const box = page.querySelector("[data-lead]"), line = page.querySelector("[data-leading]");
  const led = location.hash === "#lead";
  const began = led || !["done", "cancelled", "failed"].includes(page.dataset.state);
  if (led) history.replaceState(history.state, "", location.pathname + location.search); // the address of the run is without it
  let last = -Infinity, timer, told = false;
  const note = () => { last = performance.now(); if (timer) stay(); };
  for (const sign of SIGNS) addEventListener(sign, note, { passive: true });
  document.addEventListener("visibilitychange", () => { if (told && timer === null && !document.hidden) go.plan(); });

  function stay() {
    clearTimeout(timer);
    timer = undefined;
    line.textContent = "Training is done. You stay on this page; links above lead on.";
  }

  const go = {
    url: "",
    plan() {
      clearTimeout(timer);
      if (!box.checked || performance.now() - last < BUSY) { stay(); return; }
      if (document.hidden) { timer = null; return; } // until somebody looks
      line.textContent = `Training is done. ${box.dataset.to ? "What changed" : "The overview"} opens in a moment; press any key to stay here.`;
      timer = setTimeout(() => location.assign(go.url), WAIT);
    },
  };

  return {
    done(url) {
      if (!began || told) return;
      told = true;
      go.url = box.dataset.to ?? url;
      go.plan();
    },
  };
}
