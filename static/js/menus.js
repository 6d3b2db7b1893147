// The menus of a run, which open without this, too: arrows go through them, Escape closes what is open and goes back to its
// button, and so does a press, or the focus, elsewhere.
const MENU = "details.menu";
const PANELS = "details.pin[open], .page-tools details[open]"; // what a page offers to change about itself
const links = (menu) => [...menu.querySelectorAll("ul a")];

function closed(menu, focus) {
  menu.open = false;
  if (focus) menu.querySelector("summary").focus();
}

function step(menu, key, from) {
  const all = links(menu);
  const at = all.indexOf(from);
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[key];
  menu.open = true;
  all.at(to % all.length).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const menu = event.target.closest?.(MENU);
  if (event.key === "Escape") {
    const open = document.querySelector(`${MENU}[open]`) ?? event.target.closest?.(PANELS);
    if (!open || document.querySelector("dialog[open], :popover-open")) return;
    closed(open, open.contains(event.target));
  } else if (menu && ["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) {
    if (["Home", "End"].includes(event.key) && !menu.open) return;
    step(menu, event.key, event.target);
  } else return;
  event.preventDefault();
});

const elsewhere = ({ target }) => {
  for (const menu of document.querySelectorAll(`${MENU}[open]`)) if (!menu.contains(target)) closed(menu, false);
};
document.addEventListener("pointerdown", elsewhere);
document.addEventListener("focusin", elsewhere);
