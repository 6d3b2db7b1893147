"""The four views of a run's topics, by mouse and by keyboard."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import PREPARING


def test_topics_are_chosen_on_the_map(page, example):
    page.goto(f"{example.at}topics/?view=map")
    drawing = page.locator(".topic-map svg")
    expect(page.get_by_role("button", name="Whole map")).to_be_visible()
    texts = page.evaluate(
        "() => [...document.querySelectorAll('.labels text')].map((t) =>"
        " t.getBoundingClientRect().toJSON())"
    )
    assert texts
    for i, a in enumerate(texts):
        for b in texts[:i]:
            assert (
                a["left"] >= b["right"] - 1
                or b["left"] >= a["right"] - 1
                or a["top"] >= b["bottom"] - 4
                or b["top"] >= a["bottom"] - 4
            )
    page.get_by_role("button", name="Choose topics", exact=True).click()
    box = drawing.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 5, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"topics=\d+(,\d+)*$"))
    chosen = set(re.search(r"topics=([\d,]+)", page.url)[1].split(","))
    rows = page.locator(".overview tbody tr")
    expect(rows).to_have_count(len(chosen))
    assert {rows.nth(i).get_attribute("data-topic") for i in range(len(chosen))} == chosen
    page.reload()
    expect(page.locator(".topic-map a.on")).to_have_count(len(chosen))


def test_the_map_by_keyboard(page, example):
    page.goto(f"{example.at}topics/?view=map")
    expect(page.get_by_role("button", name="Whole map")).to_be_visible()
    page.locator(".topic-map svg a").first.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    number = page.evaluate("() => document.activeElement.dataset.topic")
    page.keyboard.press("Space")
    page.wait_for_url(re.compile(rf"topics={number}$"))
    expect(page.locator(".overview tbody tr")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/topics/{number}/")


def test_words_follow_the_slider(page, example):
    page.goto(f"{example.at}topics/3/")
    words = page.locator(".word-bars tbody th")
    before = words.all_inner_texts()
    slider = page.locator("#lambda")
    slider.fill("1")
    expect(page.locator("#words-said")).to_contain_text("1.00")
    assert words.all_inner_texts() != before and "lambda=1" in page.url
    page.reload()
    assert slider.input_value() == "1"


def test_enter_in_the_name_of_a_group_groups_the_ticked_topics(page, example):
    page.goto(f"{example.at}topics/?view=list")
    page.locator(".pick-cell input").first.check()
    page.get_by_label("Name of a group").fill("law")
    page.route("**/topics/edit/**", lambda route: route.fulfill(status=204))
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.get_by_label("Name of a group").press("Enter")
    assert "do=group" in sent.value.post_data and "group=law" in sent.value.post_data


def test_links_lead_to_the_order_of_words_that_the_slider_shows(page, example):
    page.goto(f"{example.at}topics/3/")
    page.locator("#lambda").fill("1")
    expect(page.locator("#words-said")).to_contain_text("1.00")
    page.get_by_role("link", name="All words of this topic").click()
    page.wait_for_url(re.compile(r"/topics/3/words/\?.*after=30"))
    assert "lambda=1" in page.url
    rows = page.locator(".word-bars tbody tr")
    expect(rows).to_have_count(100)
    page.locator("#lambda").fill("0.5")
    expect(page.locator("#words-said")).to_contain_text("0.50")
    assert "after=" not in page.url
    expect(rows).to_have_count(100)
    following = page.get_by_role("link", name="More words").get_attribute("href")
    assert "after=100" in following and "lambda=0.5" in following


def test_arrows_scroll_a_region_that_has_the_focus(page, example):
    page.goto(f"{example.at}topics/3/")
    here = page.url
    page.evaluate(
        "() => { const region = document.createElement('div'); region.setAttribute('role',"
        " 'region'); region.tabIndex = 0; document.querySelector('main').append(region);"
        " region.focus(); }"
    )
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.url == here
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/topics/4/")


def test_a_point_of_the_stacked_chart_opens_its_documents(page, example):
    page.goto(f"{example.at}topics/?view=time&by=decade")
    expect(page.locator("svg.river")).to_be_visible()
    page.get_by_role("link", name=re.compile("largest topics as a chart")).click()
    page.locator("[data-stack].js-plotly-plot").wait_for()
    page.get_by_text("The numbers as a table").click()
    link = page.locator("[data-bins] td a").first
    count = link.inner_text()
    assert count
    link.click()
    page.wait_for_url(re.compile(r"documents/\?from=.*&has=\d+%3A0"))


def test_a_printed_overview_says_how_sure_it_is_and_of_which_documents(page, example):
    # A worker computes the findings of a set; those of this one are there where the page has been
    # looked at before (test_accessible.py), which spares a minute
    page.goto(f"{example.at}overview/?q=war")
    expect(page.locator(".findings-foot")).to_be_visible(timeout=PREPARING)
    page.emulate_media(media="print")
    expect(page.locator(".set-chip")).to_be_visible()
    # Two passes make topics of which hardly one changes: then this is said instead
    changed = page.locator("section", has=page.locator("#change"))
    expect(changed).to_contain_text(
        re.compile(r"interval of 9\d(\.\d+)?%|changed by more than chance")
    )
    expect(changed).to_be_visible()
    for control in (
        ".run-tools",
        ".family-lines .acts a",
        ".family-lines .acts button",
        ".set-uses",
        ".set-chip a",
    ):
        expect(page.locator(control).first).to_be_hidden()


def test_a_pin_of_the_map_keeps_the_topics_that_are_chosen(page, example):
    page.goto(f"{example.at}topics/?view=map")
    page.get_by_role("button", name="Choose topics", exact=True).click()
    for circle in (0, 1):
        page.locator("[data-map] .circles a").nth(circle).click(force=True)
    page.wait_for_url(re.compile(r"topics=\d+,\d+$"))
    expect(page.locator(".overview tbody tr")).to_have_count(2)
    pin = page.locator(".page-tools details.pin")
    pin.locator("summary").click()
    pin.get_by_role("button", name="Pin").click()
    said = page.locator(".toast li").bounding_box()
    window = page.viewport_size
    assert said is not None and window is not None
    assert window["height"] - 40 < said["y"] + said["height"] < window["height"], (
        "covers no heading"
    )
    page.locator(".toast a").click()
    kept = page.locator(".piece").last
    expect(kept.locator(".kept-map circle")).to_have_count(2)
    expect(kept.locator(".kept tbody tr")).to_have_count(2)
    expect(kept.locator("h2 a")).to_have_attribute("href", re.compile(r"topics=\d+,\d+$"))


def test_labels_of_the_map_begin_with_names(page, example):
    page.goto(f"{example.at}topics/?view=map")
    expect(page.get_by_role("button", name="Whole map")).to_be_visible()
    labels = page.locator(".topic-map .labels text").all_text_contents()
    assert labels and not [label for label in labels if re.match(r"T\d+\b", label)]
    assert [label for label in labels if re.search(r" T\d+$", label)]
