// The theme must stand before the first paint, so this is a classic script in the head and not a module.
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const other = { light: "dark", dark: "light" };
  const names = { light: "Light theme", dark: "Dark theme" };

  if (stored()) root.dataset.theme = stored();

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    const say = () => {
      button.textContent = names[other[current()]];
      button.setAttribute("aria-label", `Switch to the ${other[current()]} theme`);
      dispatchEvent(new Event("themechange"));
    };
    button.addEventListener("click", () => {
      root.dataset.theme = other[current()];
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it then holds for this page only */ }
      say();
    });
    system.addEventListener("change", say);
    matchMedia("print").addEventListener("change", () => dispatchEvent(new Event("themechange"))); // paper is always light
    button.hidden = false;
    say();
  });
}
