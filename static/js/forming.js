// The topics of a run as they form: a map, the largest ones with their passages, and a slider that goes back to earlier steps.
import { count, percent } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const PACE = 450; // ms a step of a replay is shown

export function formingView(section, ended) {
  const map = section.querySelector("[data-map]"), list = section.querySelector("[data-topics]");
  const form = section.querySelector("[data-replay]"), slider = form.querySelector("input"), button = form.querySelector("[data-play]");
  const circles = new Map([...map.querySelectorAll("a")].map((node) => [Number(node.dataset.topic), node]));
  const lines = new Map([...list.children].map((line) => [Number(line.dataset.topic), line]));
  const kept = new Map(); // step -> topics
  let state = null, shown = null, pinned = "pinned" in section.dataset, playing = null, replays = 0, asked = 0;

  slider.removeAttribute("name");
  button.type = "button";
  button.textContent = "Replay";
  slider.disabled = button.disabled = true; // until it is known which steps there are

  function circle(topic) {
    let node = circles.get(topic.number);
    if (!node) {
      node = document.createElementNS(SVG, "a");
      node.append(...["circle", "text", "title"].map((name) => document.createElementNS(SVG, name)));
      node.dataset.topic = topic.number;
      circles.set(topic.number, node);
    }
    const [disc, text, title] = node.children;
    node.setAttribute("href", topic.url);
    node.setAttribute("class", `t${topic.hue}${topic.background ? " background" : ""}${node.classList.contains("lit") ? " lit" : ""}`);
    node.style.transform = `translate(${topic.cx}px, ${topic.cy}px)`;
    disc.style.r = `${topic.r}px`;
    text.textContent = topic.name || topic.label;
    text.setAttribute("x", topic.dx);
    text.setAttribute("y", topic.dy);
    text.classList.toggle("unsaid", !topic.labelled);
    title.textContent = `${withLabel(topic)}, ${percent(topic.share)}`;
    return node;
  }

  // As a sentence has it: “Navy & ships (T22)”, “T31 (man · industrial · wage)”.
  function withLabel({ label, name, has_name }) {
    if (has_name) return `${name} (${label})`;
    return name ? `${label} (${name})` : label;
  }

  function element(name, className, text = "") {
    const node = document.createElement(name);
    node.className = className;
    node.textContent = text;
    return node;
  }

  // A name and its number as {% chip %} has them: the number first where words stand for a name. Written again only where that changes.
  function order(chip, topic) {
    const first = topic.has_name ? "name" : "number";
    if (chip.dataset.first === first) return;
    chip.dataset.first = first;
    if (topic.has_name) chip.replaceChildren(element("bdi", "name"), " ", element("small", "", topic.label));
    else chip.replaceChildren(`${topic.label} `, element("bdi", "name unnamed"));
  }

  function colour(node, hue) {
    for (const name of [...node.classList]) if (/^t\d+$/.test(name)) node.classList.remove(name);
    node.classList.add(`t${hue}`);
  }

  // Only what changed is replaced, so focus and hover stay.
  function line(topic) {
    let node = lines.get(topic.number);
    if (!node) {
      node = element("li", `t${topic.hue}`);
      node.dataset.topic = topic.number;
      const head = element("p", ""), chip = element("a", `chip t${topic.hue}`), snippet = element("p", "snippet");
      chip.dataset.topic = topic.number;
      snippet.append(element("a", ""));
      snippet.firstChild.append(element("bdi", ""));
      head.append(chip, " ", element("span", "n share"));
      const said = element("p", "words");
      said.dir = "auto"; // a line that is too long is cut at its end, whatever its direction
      node.append(head, said, snippet);
      lines.set(topic.number, node);
    }
    const put = (part, text) => { if (part && part.textContent !== text) part.textContent = text; };
    const chip = node.querySelector(".chip"), words = node.querySelector(".words");
    for (const coloured of [node, chip]) colour(coloured, topic.hue); // families have their colours when the training is done
    chip.href = topic.url;
    order(chip, topic);
    put(chip.querySelector(".name"), topic.name);
    put(node.querySelector(".share"), percent(topic.share));
    const before = new Set([...words.children].map((word) => word.textContent));
    words.replaceChildren(...topic.words.flatMap((word) => {
      const item = element("span", before.size && !before.has(word) && !ended(state.status) ? "new" : "", word);
      return [item, " "];
    }));
    if (!topic.words.length) words.textContent = "no words of its own";
    let snippet = node.querySelector(".snippet");
    if (!snippet) {
      snippet = element("p", "snippet");
      snippet.append(element("a", ""));
      snippet.firstChild.append(element("bdi", ""));
      node.append(snippet);
    }
    snippet.hidden = !topic.passage;
    snippet.firstChild.href = topic.passage_url || "";
    put(snippet.querySelector("bdi"), topic.passage);
    return node;
  }

  function draw(step, topics) {
    shown = step;
    const order = [...topics].sort((a, b) => b.share - a.share); // small ones stay on top of large ones
    const nodes = order.map(circle);
    if (nodes.length !== map.children.length || nodes.some((node) => node.parentNode !== map)) map.replaceChildren(...nodes);
    const told = topics.filter((topic) => topic.told).sort((a, b) => a.number - b.number).map(line);
    if (told.length !== list.children.length || told.some((node, i) => node !== list.children[i])) list.replaceChildren(...told);
    const { steps } = state.forming;
    slider.min = 0;
    slider.max = steps.length - 1;
    slider.value = steps.indexOf(step);
    slider.setAttribute("aria-valuetext", `step ${count(step)} of ${count(state.steps)}`);
    section.querySelector("[data-at]").textContent = `Step ${count(step)} of ${count(state.steps)}${pinned || ended(state.status) ? "" : ", the newest"}`;
    section.querySelector("[data-topics-said]").textContent = `${topics.length < state.shown ? `The ${topics.length} largest of ${count(state.shown)} topics` : `All ${count(state.shown)} topics`}.`
      + " Topics that are near each other have words in common; a larger circle holds more of the text. Dashed circles: general talk."
      + " Shares are what the model estimates at this step; the page of a topic counts its words.";
  }

  // null where the server, or the rest of its answer, did not come.
  async function topicsAt(step) {
    try {
      const answer = await fetch(`${state.url_forming}?step=${step}`, { headers: { Accept: "application/json" } });
      return answer.ok ? (await answer.json()).topics : null;
    } catch {
      return null;
    }
  }

  async function goTo(index) {
    const { steps } = state.forming, step = steps[index], mine = ++asked;
    pinned = index < steps.length - 1;
    const at = new URL(location);
    if (pinned) at.searchParams.set("step", step); else at.searchParams.delete("step");
    history.replaceState(null, "", at);
    if (!kept.has(step)) {
      const topics = await topicsAt(step);
      if (!topics) return; // what is shown stays; the next move asks again
      kept.set(step, topics);
    }
    if (mine === asked) draw(step, kept.get(step)); // else the slider is elsewhere by now
  }

  function stop() {
    clearTimeout(playing);
    playing = null;
    button.textContent = "Replay";
  }

  // mine: of a replay that was stopped, and begun anew while a step was on its way, only the newest goes on.
  async function play(index, mine) {
    await goTo(index);
    if (playing === null || mine !== replays) return;
    if (index + 1 < state.forming.steps.length) playing = setTimeout(play, PACE, index + 1, mine);
    else stop();
  }

  slider.addEventListener("input", () => { stop(); goTo(Number(slider.value)); });
  form.addEventListener("submit", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    if (playing !== null) { stop(); return; }
    playing = 0;
    button.textContent = "Pause";
    replays += 1;
    play(slider.value === slider.max ? 0 : Number(slider.value), replays);
  });

  return {
    // state: of run.json, whose `forming` is of the last step.
    show(next) {
      state = next;
      const { step, steps, topics } = next.forming;
      form.hidden = steps.length < 2;
      slider.disabled = button.disabled = false;
      if (ended(next.status)) section.querySelector("h2").textContent = "How the topics formed";
      section.hidden = step === null && ended(next.status); // there will be none
      if (step === null) return;
      kept.set(step, topics);
      if (!pinned) draw(step, topics);
      else if (shown === null) goTo(Math.max(0, steps.indexOf(Number(new URL(location).searchParams.get("step")))));
      else { slider.max = steps.length - 1; slider.value = steps.indexOf(shown); }
    },
  };
}
