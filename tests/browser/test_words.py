"""Finding a word by keyboard and without scripts, and from a sense to its place in a text."""

import re
from contextlib import suppress

from playwright.sync_api import Error, Page, Route, expect


def test_a_word_is_completed_and_opened_by_keyboard(page: Page, example):
    page.goto(f"{example.at}words/")
    field = page.get_by_role("combobox")
    field.press_sequentially("milit")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("military")
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    field.press("Escape")
    expect(options.first).to_be_hidden()
    expect(field).to_have_value("milit")
    field.press("ArrowDown")
    field.press("Enter")
    page.wait_for_url("**/words/military/")
    expect(page.get_by_role("heading", level=1)).to_have_text("military")


def test_words_that_come_late_open_no_list_below_a_field_that_was_left(page: Page, example):
    page.goto(f"{example.at}words/")
    answers: list[Route] = []
    page.route("**/words.json*", lambda route: answers.append(route))
    field = page.get_by_role("combobox")
    field.press_sequentially("m")
    page.wait_for_timeout(200)
    page.keyboard.press("Tab")
    assert len(answers) == 1
    with suppress(Error):  # what the page does not wait for any more
        answers[0].continue_()
    page.wait_for_timeout(500)
    expect(page.get_by_role("option")).to_have_count(0)
    expect(field).to_have_attribute("aria-expanded", "false")


def test_two_words_are_compared_and_a_line_leads_into_its_text(page: Page, example):
    page.goto(f"{example.at}words/war/")
    page.get_by_label("Compare").fill("peace")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(re.compile(r"/words/compare/\?word=war&word=peace$"))
    page.go_back()
    page.wait_for_url("**/words/war/")
    page.locator(".sense a", has_text="lines").first.click()
    expect(page.locator(".kwic li").first).to_contain_text("war", ignore_case=True)
    page.locator(".kwic .source a").first.click()
    page.wait_for_url(re.compile(r"/documents/\d+/\?.*at=\d+#here$"))
    expect(page.locator("#text")).to_contain_text("war", ignore_case=True)


def test_without_scripts(browser, live_system, example):
    context = browser.new_context(base_url=live_system.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{example.at}words/")
    page.locator("main input[name=word]").fill("milittary")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="military").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("military")
    page.get_by_text("The same as a table").click()
    expect(page.locator(".twin table")).to_be_visible()
    context.close()


def test_what_is_near_a_word_in_two_periods_is_chosen_compared_and_opened(page: Page, example):
    page.goto(f"{example.at}words/security/collocations/")
    page.get_by_text("Compare two periods, groups or senses").click()
    first = page.get_by_role("group", name="First set")
    second = page.get_by_role("group", name="Second set")
    first.get_by_label("to", exact=True).fill("1929")
    second.get_by_label("from", exact=True).fill("1980")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"to_a=1929.*from_b=1980"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Words near “security”: 1790–1929 and 1980–2020"
    )
    social = page.get_by_role("region", name="1980–2020").get_by_role(
        "row", name=re.compile("^social")
    )
    expect(social).to_be_visible()
    social.get_by_role("link").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("security ~5 social")
    expect(page.locator(".kwic li").first).to_contain_text("social", ignore_case=True)
    page.get_by_role("link", name="topic", exact=True).click()
    expect(page.locator(".groups tbody tr").first).to_contain_text(re.compile(r"T\d\d"))


def test_two_sides_are_compared_by_words_of_as_many_documents(page: Page, example):
    page.goto(f"{example.at}words/security/collocations/?least=10")
    page.get_by_text("Compare two periods, groups or senses").click()
    page.get_by_role("group", name="First set").get_by_label("to", exact=True).fill("1929")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"to_a=1929"))
    assert "least=10" in page.url and "from_a=" not in page.url


def test_the_table_of_topics_by_time_shows_their_names(page: Page, example):
    page.goto(f"{example.at}time/table/")
    expect(page.locator("table.shades tbody th").first).to_be_visible()


def test_the_words_of_a_topic_through_time_open_their_lines(page: Page, example):
    page.goto(f"{example.at}topics/0/")
    page.get_by_role("link", name="Its words through time").click()
    page.wait_for_url("**/topics/0/time/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("through time", timeout=60_000)
    table = page.get_by_role("table").first
    expect(table).to_be_visible(timeout=60_000)
    if not page.locator("table.words-by-time tbody td a").first.is_visible():
        page.get_by_text("words without a sure change").click()
    row = page.locator("table.words-by-time tbody tr", has=page.locator("td a:visible")).first
    expect(row.get_by_role("rowheader")).to_be_visible()
    number = row.locator("td a").first
    counted = int(number.inner_text().strip("()").replace(",", ""))
    number.click()
    page.wait_for_url(re.compile(r"/words/.*topic=0"))
    expect(page.locator(".kwic li")).to_have_count(min(counted, 25))
