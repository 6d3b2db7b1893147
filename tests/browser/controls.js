/* What a page's controls lack for whoever uses a keyboard or points with a shaking hand: WCAG 2.2,
   2.4.7 (focus visible), 2.4.11 (focus not obscured) and 2.5.8 (target size). Evaluated in the page by
   tests/browser/controls.py. */
() => {
  const FOCUSABLE = "a[href], button, summary, input:not([type=hidden]), select, textarea, [tabindex], iframe";
  // What shows that an element has the focus
  const SHOWN = ["boxShadow", "backgroundColor", "borderTopColor", "borderBottomColor", "borderTopWidth",
    "borderBottomWidth", "stroke", "strokeWidth", "fill", "textDecorationLine", "opacity", "visibility"];
  const SEEN_SIDES = 3;  // of an outline's four: one may lie outside of what scrolls
  const LEAST = 24;      // CSS pixels
  const AT_EACH_PLACE = 1;  // elements that are focused of those that stand in like elements

  const said = (e) => `<${e.localName} ${e.getAttribute("class") ?? ""}> in <${e.parentElement.localName} ${e.parentElement.getAttribute("class") ?? ""}>: ${e.outerHTML.replace(/\s+/g, " ").slice(0, 130)}`;
  // Colours and places of topics are numbers in the names of classes
  const kind = (e) => `${e.localName}.${(e.getAttribute("class") ?? "").replace(/\d+/g, "")}`;
  const path = (e) => (e ? `${path(e.parentElement)} ${kind(e)}` : "");
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest("[inert]");

  /* The focus */
  const look = (e) => {
    const style = getComputedStyle(e);
    const outline = style.outlineStyle === "none" ? "" : `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor}`;
    return [outline, ...SHOWN.map((name) => style[name])].join("|");
  };
  // Where the focus of an element may show: itself, its label, what stands around, beside and within it
  const around = (e) => [e, ...(e.labels ?? []), e.parentElement, e.nextElementSibling,
    e.closest("fieldset, .drop, li, td"), ...[...e.children].slice(0, 6)].filter(Boolean);
  const clips = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";
  const outside = (box, other) => ({
    left: box.left < other.left, right: box.right > other.right,
    top: box.top < other.top, bottom: box.bottom > other.bottom,
  });
  // Sides of the outline that no element around cuts off
  const sides_seen = (e) => {
    const style = getComputedStyle(e);
    if (style.outlineStyle === "none" || e.closest("svg")) return 4;
    const grown = parseFloat(style.outlineOffset) + 1;  // its inner edge, and a pixel of it
    const { left, right, top, bottom } = e.getBoundingClientRect();
    const box = { left: left - grown, right: right + grown, top: top - grown, bottom: bottom + grown };
    const cut = { left: false, right: false, top: false, bottom: false };
    for (let part = e.parentElement; part && part !== document.documentElement; part = part.parentElement) {
      if (!clips(getComputedStyle(part))) continue;
      const there = outside(box, part.getBoundingClientRect());
      for (const side of Object.keys(cut)) cut[side] ||= there[side];
    }
    return Object.values(cut).filter((is_cut) => !is_cut).length;
  };
  // Whether something that is not the element lies over all of it
  const covered = (e) => {
    const boxes = [...e.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    if (!boxes.length) return false;
    const places = boxes.flatMap((box) => [0.5, 0.1, 0.9].flatMap((x) => [0.5, 0.1, 0.9]
      .map((y) => [box.left + box.width * x, box.top + box.height * y])))
      .filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
    return places.every(([x, y]) => {
      const top = document.elementFromPoint(x, y);
      return top && !e.contains(top) && !top.contains(e) && ![...(e.labels ?? [])].some((label) => label.contains(top));
    });
  };
  const sticks = (e) => ["sticky", "fixed"].includes(getComputedStyle(e).position);
  const bars = [...document.querySelectorAll("body *")].filter((e) => sticks(e) && shown(e));
  const focus_wrong = (e) => {
    document.activeElement?.blur();
    const parts = around(e), before = parts.map(look);
    e.focus();
    if (document.activeElement !== e) return [];
    const wrong = [];
    if (parts.every((part, place) => look(part) === before[place])) wrong.push("focus not shown");
    else if (sides_seen(e) < SEEN_SIDES) wrong.push(`focus cut off, ${sides_seen(e)} sides left`);
    if (bars.length) {
      // At worst it is at the edge of what is seen, where bars stick
      for (const block of ["start", "end"]) {
        e.blur();
        e.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
        e.focus();
        if (covered(e)) wrong.push(`focus under ${path(document.elementFromPoint(e.getBoundingClientRect().left + 2, e.getBoundingClientRect().top + 2)).split(" ").at(-1)} (${block})`);
      }
    }
    return wrong.map((what) => `${what}: ${said(e)}`);
  };
  const focused = () => {
    const seen = new Map();
    const wrong = [...document.querySelectorAll(FOCUSABLE)].filter((e) => {
      if (e.disabled || e.tabIndex < 0 || !shown(e)) return false;
      const place = path(e), count = (seen.get(place) ?? 0) + 1;
      seen.set(place, count);
      return count <= AT_EACH_PLACE;
    }).flatMap(focus_wrong);
    document.activeElement?.blur();
    window.scrollTo({ top: 0, behavior: "instant" });
    return wrong;
  };

  /* The targets */
  const NOTHING = { width: 0, height: 0 };
  const is_scrolled = (style) => [style.overflowX, style.overflowY].some((value) => value === "auto" || value === "scroll");
  // What of a box no element around cuts off
  const seen = (e, box) => {
    let { left, right, top, bottom } = box;
    for (let part = e.parentElement; part && part !== document.body; part = part.parentElement) {
      const style = getComputedStyle(part);
      if (!clips(style)) continue;
      const edge = part.getBoundingClientRect();
      if (is_scrolled(style)) {
        // What is scrolled away comes whole when somebody scrolls there
        const x = (left + right) / 2, y = (top + bottom) / 2;
        if (x < edge.left || x > edge.right || y < edge.top || y > edge.bottom) return NOTHING;
        continue;
      }
      left = Math.max(left, edge.left), right = Math.min(right, edge.right);
      top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
    }
    return { left, right, top, bottom, width: right - left, height: bottom - top, x: (left + right) / 2, y: (top + bottom) / 2 };
  };
  // The label of a tick box is part of its target
  const target = (e) => {
    const boxes = [e, ...(e.labels ?? [])].map((part) => part.getBoundingClientRect())
      .filter((box) => box.width && box.height);
    if (!boxes.length) return NOTHING;
    const left = Math.min(...boxes.map((box) => box.left)), right = Math.max(...boxes.map((box) => box.right));
    const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
    return seen(e, { left, right, top, bottom });
  };
  const small = (box) => box.width < LEAST - 0.5 || box.height < LEAST - 0.5;
  // In a line of text whose height its own text gives, so the target can't be larger
  const in_a_sentence = (e) => {
    if (!getComputedStyle(e).display.startsWith("inline")) return false;
    let block = e.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (/\p{L}/u.test(text.data) && !text.parentElement.closest("a, button, summary, select, .hidden, label, option")) return true;
    }
    return false;
  };
  // Of a link over several lines each by itself
  const lines = (e) => [e, ...(e.labels ?? [])].flatMap((part) => [...part.getClientRects()]);
  const distance = (box, line) => Math.hypot(Math.max(line.left - box.x, 0, box.x - line.right),
    Math.max(line.top - box.y, 0, box.y - line.bottom));
  const crowds = (box, other) => {
    const both_small = small(other.box) && Math.hypot(box.x - other.box.x, box.y - other.box.y) < LEAST;
    return both_small || other.lines.some((line) => distance(box, line) < LEAST / 2);
  };
  // Links of charts have a table or a list beside them with the same links
  const is_target = (e) => shown(e) && !e.closest(".hidden, svg")
    && !e.matches("main, iframe, [tabindex]:not(a, button, input, select, textarea, summary, [role=button])");
  const are_apart = (e, other) => other !== e && !other.contains(e) && !e.contains(other);
  // What is seen where something is pointed at or focused lies over what is there else
  const layer = (e) => {
    for (let part = e; part; part = part.parentElement) {
      if (getComputedStyle(part).opacity === "0") return part;
    }
    return null;
  };
  const targets = () => {
    const places = [...document.querySelectorAll(FOCUSABLE)].filter(is_target)
      .map((e) => ({ e, box: target(e), lines: lines(e), layer: layer(e) }))
      .filter(({ box }) => box.width > 1 && box.height > 1 && box.right > 0);
    return places.filter(({ e, box }) => small(box) && !in_a_sentence(e)).flatMap((place) => {
      const near = places.find((other) => other.layer === place.layer && are_apart(place.e, other.e) && crowds(place.box, other));
      if (!near) return [];
      return [`${place.box.width.toFixed(0)} x ${place.box.height.toFixed(0)} px: ${said(place.e)} beside ${said(near.e)}`];
    });
  };

  return { focused, targets };
}
