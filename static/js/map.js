// The map of topics: nearer and farther, moved about, and topics chosen by a rectangle, by touch or from the keyboard.
// Without this file each circle is a link.
const NEAREST = 24; // times as large as the whole
const STEP = 1.5; // of a zoom by button or key
const FONT = 14, LETTER = 5.7, PADDING = 10, LINE = 17, GAP = 4, CLEARANCE = 2 * GAP; // of labels, in pixels, the last from circles of others; webapp/analysis/topics/maps.py has the same
const DIAGONAL = 0.71; // of a circle's radius: how far it reaches at 45 degrees to each side
const NARROW = 480, SMALLER = 0.82; // of a map as narrow, labels are smaller, and names alone
const MARGIN = 0.05; // of the circles' width, beside them on a narrow map
const LABELS = 120; // that are shown at a time
const CROWDED = 300, SMALL = 5; // topics of a map on which labels may lie on circles of fewer pixels
const NAMED = 40, APART = 30; // labels of such a map at most, and pixels of its width for each
const CLICK = 4; // pixels that a pointer may move and still have clicked
const PAUSE = 200; // ms after the last choice before the list follows it
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function chart(figure, choose) {
  const svg = figure.querySelector("svg");
  const part = (name) => figure.querySelector(`[data-${name}]`);
  const labels = svg.querySelector(".labels");
  const brush = part("brush");
  const drawn = svg.dataset.size.split(" ").map(Number);
  const topics = [...svg.querySelectorAll("a")].map((link) => {
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(link.firstElementChild.getAttribute(name)));
    return { link, x, y, r, name: link.dataset.name, label: link.dataset.label, number: Number(link.dataset.topic), general: link.classList.contains("general") };
  });
  // What the whole map shows: the drawing, or where it is narrow only as much as the circles take up, as the room that it leaves for
  // labels at its sides would make them small.
  let [left, top, width, height] = [0, 0, ...drawn];
  function frameCircles() {
    [left, top, width, height] = [0, 0, ...drawn];
    if (svg.clientWidth >= NARROW || !topics.length) return;
    const [low, high] = [Math.min, Math.max].map((end, i) => ["x", "y"].map((axis) => end(...topics.map((topic) => topic[axis] + (i ? 1 : -1) * topic.r))));
    const margin = MARGIN * (high[0] - low[0]);
    [left, top] = [Math.max(low[0] - margin, 0), Math.max(low[1] - margin, 0)];
    [width, height] = [Math.min(high[0] + margin, drawn[0]) - left, Math.min(high[1] + margin, drawn[1]) - top];
  }
  const crowded = topics.length > CROWDED;
  const of = new Map(topics.map((topic) => [topic.link, topic]));
  const chosen = new Set(topics.filter(({ link }) => link.classList.contains("on")));
  frameCircles();
  let view = { x: left, y: top, w: width };
  let mode = "move";
  let frame, timer;

  // The view ----------------------------------------------------------------------------------------------------

  const box = () => {
    const shape = svg.getBoundingClientRect();
    const unit = Math.max(view.w / shape.width, (view.w * height) / width / shape.height);
    // The drawing is centred in its box (preserveAspectRatio).
    return { unit, left: shape.left + (shape.width - view.w / unit) / 2, top: shape.top + (shape.height - (view.w * height) / width / unit) / 2 };
  };
  const at = ({ clientX, clientY }) => {
    const { unit, left, top } = box();
    return { x: view.x + (clientX - left) * unit, y: view.y + (clientY - top) * unit };
  };

  function draw() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${(view.w * height) / width}`);
      svg.classList.toggle("near", view.w < width * 0.99);
      label();
    });
  }

  function look(x, y, w) {
    const size = Math.min(Math.max(w, width / NEAREST), width);
    const tall = (size * height) / width;
    view = { w: size, x: Math.min(Math.max(x, left), left + width - size), y: Math.min(Math.max(y, top), top + height - tall) };
    draw();
  }

  // Keeps what lies under the point where it is.
  function zoom(by, point = { x: view.x + view.w / 2, y: view.y + (view.w * height) / width / 2 }) {
    const w = Math.min(Math.max(view.w / by, width / NEAREST), width);
    look(point.x - ((point.x - view.x) * w) / view.w, point.y - ((point.y - view.y) * w) / view.w, w);
  }

  // Names find room, the largest topic's first: right, left, below, above, at a corner, and twice as far from all other circles, so that nobody
  // takes one for theirs; where all stand, the number follows each that has room for it. As in maps.py. On a crowded map topics of general talk come last, and small circles make no difference, or hardly any
  // label would find room.
  function label() {
    const narrow = svg.clientWidth < NARROW;
    const unit = box().unit * (narrow ? SMALLER : 1);
    const [high, gap] = [LINE * unit, GAP * unit];
    const end = { x: view.x + view.w, y: view.y + (view.w * height) / width };
    const seen = topics.filter(({ x, y, r }) => x + r > view.x && x - r < end.x && y + r > view.y && y - r < end.y);
    const solid = crowded ? seen.filter(({ r }) => r > SMALL * unit) : seen;
    const most = crowded ? Math.min(NAMED, svg.clientWidth / APART) : LABELS;
    const taken = [];
    const found = [];
    const space = ([anchor, x, middle], text) => {
      const w = (LETTER * text.length + PADDING) * unit;
      const l = x - { start: 0, middle: w / 2, end: w }[anchor];
      return { l, r: l + w, t: middle - high / 2, b: middle + high / 2 };
    };
    const free = (a, own) => a.l >= view.x && a.r <= end.x && a.t >= view.y && a.b <= end.y
      && !taken.some((b) => a.l < b.r && a.r > b.l && a.t < b.b && a.b > b.t)
      && !solid.some((topic) => {
        const { x, y, r } = topic;
        const [dx, dy] = [Math.min(Math.max(x, a.l), a.r) - x, Math.min(Math.max(y, a.t), a.b) - y];
        return topic !== own && Math.hypot(dx, dy) < r + CLEARANCE * unit;
      });
    const late = (topic) => (chosen.has(topic) ? 0 : (crowded || narrow) && topic.general ? 2 : 1);
    const first = [...seen].sort((a, b) => late(a) - late(b));
    for (const topic of first.slice(0, 3 * LABELS)) {
      if (found.length >= most) break;
      const { x, y, r } = topic;
      const places = [["start", x + r + gap, y], ["end", x - r - gap, y], ["middle", x, y + r + high / 2], ["middle", x, y - r - high / 2],
        ...[["start", 1], ["end", -1]].flatMap(([anchor, side]) => [-1, 1].map((down) => [anchor, x + side * DIAGONAL * r, y + down * (DIAGONAL * r + high / 2)]))];
      const place = places.find((candidate) => free(space(candidate, topic.name), topic));
      if (!place) continue;
      taken.push(space(place, topic.name));
      found.push({ topic, place });
    }
    labels.replaceChildren(...found.map(({ topic, place }, i) => {
      const [anchor, x, middle] = place;
      const item = document.createElementNS(svg.namespaceURI, "text");
      item.textContent = topic.name;
      const [own] = taken.splice(i, 1); // a label does not stand in its own way
      const whole = space(place, `${topic.name} ${topic.label}`);
      const numbered = !narrow && free(whole, topic);
      taken.splice(i, 0, numbered ? whole : own);
      if (numbered) {
        const number = document.createElementNS(svg.namespaceURI, "tspan");
        number.textContent = ` ${topic.label}`;
        item.append(number);
      }
      item.setAttribute("x", x);
      item.setAttribute("y", middle);
      item.setAttribute("text-anchor", anchor);
      item.setAttribute("font-size", FONT * unit);
      item.setAttribute("stroke-width", 3 * unit);
      return item;
    }));
  }

  // Choosing ----------------------------------------------------------------------------------------------------

  function pick(wanted) {
    for (const topic of topics) {
      const on = wanted.has(topic);
      if (on === chosen.has(topic)) continue;
      topic.link.classList.toggle("on", on);
      topic.link[on ? "setAttribute" : "removeAttribute"]("aria-current", "true");
      if (on) chosen.add(topic); else chosen.delete(topic);
    }
    svg.classList.toggle("some", chosen.size > 0);
    part("clear").hidden = !chosen.size;
    compare();
    part("said").textContent = chosen.size ? `${chosen.size} of ${topics.length} topics chosen; the list below shows them.` : "";
    clearTimeout(timer);
    timer = setTimeout(() => choose([...chosen].map(({ number }) => number).sort((a, b) => a - b)), PAUSE);
  }

  // The words of two or more chosen topics are compared from here: the list with its own button lies below the map.
  function compare() {
    const link = part("compare");
    link.hidden = chosen.size < 2;
    const address = new URL(link.href);
    address.searchParams.set("topics", [...chosen].map(({ number }) => number).sort((a, b) => a - b).join(","));
    address.search = address.search.replaceAll("%2C", ",");
    link.href = address;
  }

  const toggle = (topic) => pick(chosen.has(topic) ? new Set([...chosen].filter((other) => other !== topic)) : new Set([...chosen, topic]));

  function setMode(next) {
    mode = next;
    for (const button of figure.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", button.dataset.mode === mode);
    svg.classList.toggle("choosing", mode === "choose");
  }

  // Pointers: one moves or draws a rectangle, two change the size ------------------------------------------------

  const down = new Map();
  let drag = null;

  function rectangle(a, b) {
    const [x, y, w, h] = [Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
    for (const [name, value] of Object.entries({ x, y, width: w, height: h })) brush.setAttribute(name, value);
    return topics.filter((t) => t.x >= x && t.x <= x + w && t.y >= y && t.y <= y + h);
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    down.set(event.pointerId, event);
    drag = down.size > 1 ? { pinch: true, moved: true } : { from: event, start: at(event), view: { ...view }, moved: false, before: new Set(chosen),
      choosing: mode === "choose" || event.shiftKey, adding: event.shiftKey || event.ctrlKey || event.metaKey };
  });

  svg.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId) || !drag) return;
    const last = down.get(event.pointerId);
    down.set(event.pointerId, event);
    if (drag.pinch) {
      const [other] = [...down.values()].filter(({ pointerId }) => pointerId !== event.pointerId);
      if (!other) return;
      const apart = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
      zoom(apart(event, other) / apart(last, other), at({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }));
      return;
    }
    if (!drag.moved && Math.hypot(event.clientX - drag.from.clientX, event.clientY - drag.from.clientY) < CLICK) return;
    if (!drag.moved) svg.setPointerCapture(event.pointerId);
    drag.moved = true;
    if (drag.choosing) {
      brush.removeAttribute("hidden");
      drag.inside = rectangle(drag.start, at(event));
    } else {
      svg.classList.add("dragging");
      const { unit } = box();
      look(drag.view.x - (event.clientX - drag.from.clientX) * unit, drag.view.y - (event.clientY - drag.from.clientY) * unit, view.w);
    }
  });

  function up(event) {
    if (!down.delete(event.pointerId) || !drag) return;
    svg.classList.remove("dragging");
    brush.setAttribute("hidden", "");
    if (drag.inside && event.type === "pointerup") pick(new Set([...(drag.adding ? drag.before : []), ...drag.inside]));
    const moved = drag.moved;
    if (!down.size) drag = null;
    if (moved) addEventListener("click", stop, { capture: true, once: true }); // it was no click
    setTimeout(() => removeEventListener("click", stop, true));
  }
  function stop(event) {
    event.preventDefault();
    event.stopPropagation();
  }
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("dragstart", (event) => event.preventDefault()); // of a link
  svg.addEventListener("click", (event) => {
    const topic = of.get(event.target.closest("a"));
    if (!topic || !(mode === "choose" || event.shiftKey)) return;
    event.preventDefault();
    toggle(topic);
  });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; a pinch on a trackpad comes with ctrlKey
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 150), at(event));
  }, { passive: false });
  svg.addEventListener("dblclick", (event) => { if (!event.target.closest("a")) zoom(2, at(event)); });

  // Keys: the map is one stop of Tab, arrows go from topic to topic ----------------------------------------------

  function neighbour({ x, y }, [dx, dy]) {
    let best = null, least = Infinity;
    for (const topic of topics) {
      const along = (topic.x - x) * dx + (topic.y - y) * dy;
      const across = Math.abs((topic.x - x) * dy) + Math.abs((topic.y - y) * dx);
      if (along > 0.5 && along + 2 * across < least) [best, least] = [topic, along + 2 * across];
    }
    return best;
  }

  function focus(topic) {
    for (const { link } of topics) link.setAttribute("tabindex", link === topic.link ? 0 : -1);
    topic.link.focus({ preventScroll: true });
    const tall = (view.w * height) / width;
    if (topic.x < view.x || topic.x > view.x + view.w || topic.y < view.y || topic.y > view.y + tall) look(topic.x - view.w / 2, topic.y - tall / 2, view.w);
  }

  svg.addEventListener("keydown", (event) => {
    const topic = of.get(event.target.closest("a"));
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key in ARROWS && topic) {
      const next = neighbour(topic, ARROWS[key]);
      if (next) focus(next);
    } else if (key === " " && topic) toggle(topic);
    else if (key === "Enter" && topic) location.assign(topic.link.href.baseVal); // a click would choose it in the mode that chooses
    else if (key === "+" || key === "=") zoom(STEP, topic);
    else if (key === "-") zoom(1 / STEP, topic);
    else if (key === "0") look(left, top, width);
    else if (key === "Escape" && chosen.size) pick(new Set());
    else return;
    event.preventDefault();
  });

  figure.addEventListener("click", ({ target }) => {
    const { mode: next, zoom: by } = target.dataset;
    if (next) setMode(next);
    if (by === "all") look(left, top, width);
    else if (by) zoom(by === "in" ? STEP : 1 / STEP);
    if ("clear" in target.dataset) pick(new Set());
  });

  for (const { link } of topics.slice(1)) link.setAttribute("tabindex", -1);
  for (const tool of figure.querySelectorAll("[data-tools]")) tool.hidden = false;
  figure.classList.add("live");
  let wide = svg.clientWidth;
  new ResizeObserver(() => {
    if ((wide < NARROW) !== (svg.clientWidth < NARROW)) { // a telephone that was turned
      frameCircles();
      look(left, top, width);
    } else draw();
    wide = svg.clientWidth;
  }).observe(svg);
  compare();
  draw();
}
