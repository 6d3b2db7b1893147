"""Parts of a page that come later than the page, or in steps: of a worker that works, of a training."""

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Example
from tests.waiting import until

# A part that is asked for every twentieth of a second, and whose answers break off
BROKEN = """() => {
  const part = document.createElement("p");
  Object.assign(part.dataset, { part: "broken", every: "0.05", state: "1" });
  document.querySelector("main").append(part);
  window.asked = 0;
  window.fetch = async () => {
    window.asked += 1;
    const broken = async () => { throw new TypeError("network error"); };
    return { ok: true, status: 200, text: broken, json: broken };
  };
  return import("/static/js/part.js").then(() => null);
}"""

# A part without a state, for which another page answers
ANOTHER_PAGE = """() => {
  const part = document.createElement("p");
  Object.assign(part.dataset, { part: "absent", every: "0.05" });
  document.querySelector("main").append(part);
  window.fetch = async () => ({ ok: true, status: 200, text: async () => "<h1>Sign in</h1>" });
  return import("/static/js/part.js").then(() => null);
}"""

# A part whose state the server says is another one, beside a box to pin that somebody writes in
OTHER_STATE = """() => {
  const main = document.querySelector("main");
  main.insertAdjacentHTML("beforeend",
    '<details class="pin" open><summary>Pin</summary><form method="post"><input name="comment"></form></details>');
  const part = document.createElement("p");
  Object.assign(part.dataset, { part: "runs", every: "0.05", state: "1" });
  main.append(part);
  window.asked = 0;
  window.fetch = async () => {
    window.asked += 1;
    return { ok: true, status: 200, text: async () => '<p data-part="runs" data-state="2"></p>' };
  };
  return import("/static/js/part.js").then(() => null);
}"""


def give_steps(page: Page, example: Example) -> None:
    """The page is told of three steps before the last one, however few a fast machine has stored
    of a training that takes seconds: at each of them the server gives the topics of the step
    before it."""

    def add_steps(route: Route) -> None:
        answer = route.fetch()
        state = answer.json()
        first, *later = state["forming"]["steps"]
        state["forming"]["steps"] = sorted({first, first + 1, first + 2, *later})
        route.fulfill(response=answer, json=state)

    page.route(f"**/runs/{example.run}.json*", add_steps)


def wait_for_steps(page: Page, steps: list[Route], count: int) -> None:
    """Until so many were asked for."""

    def have_come() -> bool:
        page.wait_for_timeout(20)  # in which the page's events come in
        return len(steps) >= count

    def where_it_stands() -> str:
        asked_for = [route.request.url for route in steps]
        return (
            f"{count} steps were awaited: {page.locator('form.replay').inner_text()}; {asked_for}"
        )

    until(have_come, told=where_it_stands)


def test_a_part_is_asked_for_again_where_its_answer_broke_off(page: Page, live_system):
    page.goto("/")
    page.evaluate(BROKEN)
    page.wait_for_function("() => asked > 2")


def test_a_page_loads_again_where_another_one_answers_for_its_part(page: Page, live_system):
    page.goto("/")
    with page.expect_navigation():
        page.evaluate(ANOTHER_PAGE)


def test_a_page_does_not_load_again_while_somebody_writes_what_to_pin(page: Page, live_system):
    page.goto("/")
    page.evaluate(OTHER_STATE)
    page.wait_for_function("() => asked > 1")
    expect(page.get_by_text("There is something new here.")).to_be_visible()
    box = page.locator("main details.pin")
    expect(box).to_have_attribute("open", "")
    with page.expect_navigation():  # as soon as the box is closed and nothing was written
        box.locator("summary").click()


def test_a_page_does_not_load_again_before_what_was_typed_is_sent(page: Page, live_system):
    page.goto("/")
    page.evaluate(OTHER_STATE)
    box = page.locator("main details.pin")
    box.get_by_role("textbox").fill("Holds in each run")
    box.locator("summary").click()
    asked = page.evaluate("asked")
    page.wait_for_function(f"() => asked > {asked + 1}")
    with page.expect_navigation():
        page.get_by_role("link", name="Load this page again").click()


def test_topics_that_are_listed_take_the_colours_of_their_families(page: Page, example: Example):
    """When a training ends its topics have families; the list was drawn before."""

    def give_colours(route: Route) -> None:
        answer = route.fetch()
        state = answer.json()
        for topic in state["forming"]["topics"]:
            topic["hue"] = 5
        route.fulfill(response=answer, json=state)

    page.route(f"**/runs/{example.run}.json*", give_colours)
    page.goto(example.at)
    topics = page.locator("ol.told > li")
    expect(page.locator("ol.told > li.t5")).to_have_count(topics.count())
    expect(page.locator("ol.told .chip.t5")).to_have_count(topics.count())
    expect(topics.first).to_have_class("t5")


def test_a_replay_that_is_begun_again_goes_on_once(page: Page, example: Example):
    give_steps(page, example)
    page.goto(example.at)
    steps: list[Route] = []
    page.route("**/forming.json*", lambda route: steps.append(route))
    page.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    wait_for_steps(page, steps, 2)
    first = [route.request.url for route in steps]
    assert len(first) == 2 and len(set(first)) == 1
    for route in steps:
        route.continue_()
    wait_for_steps(page, steps, 3)
    page.wait_for_timeout(500)  # in which a second replay would ask for its next step
    assert len(steps) == 3 and steps[2].request.url not in first
    steps[2].continue_()


def test_a_replay_goes_on_where_the_answer_of_a_step_broke_off(page: Page, example: Example):
    give_steps(page, example)
    page.goto(example.at)
    steps: list[Route] = []
    page.route("**/forming.json*", lambda route: steps.append(route))
    page.get_by_role("button", name="Replay").click()
    wait_for_steps(page, steps, 1)
    steps[0].fulfill(body='{"topics": [', content_type="application/json")
    wait_for_steps(page, steps, 2)
    assert steps[1].request.url != steps[0].request.url
    page.get_by_role("button", name="Pause").click()
    steps[1].continue_()
