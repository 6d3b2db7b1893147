"""The whole path as a person takes it: a real browser, server, worker, Postgres and Redis protocol;
nothing is faked."""

import csv
import gzip
import io
import re

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.corpora import as_csv, example_rows

READING = 60_000  # ms: far beyond what it takes; these machines are shared
TRAINING = 240_000


@pytest.fixture
def database(live_system):
    with psycopg.connect(live_system.database_url, autocommit=True) as connection:
        yield connection


def number_in(url: str) -> int:
    return int(re.search(r"/(\d+)/", url).group(1))


def downloaded(page: Page, name: str) -> list[list[str]]:
    with page.expect_download() as event:
        page.get_by_role("link", name=name, exact=True).click()
    with open(event.value.path(), newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def train(page: Page, topics: int, passes: int) -> int:
    page.get_by_label("Number of topics").fill(str(topics))
    page.get_by_text("Advanced").click()
    page.get_by_label("Passes", exact=True).fill(str(passes))
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    return number_in(page.url)


def points(page: Page, run: int) -> int:
    return len(page.request.get(f"/runs/{run}.json").json()["metrics"]["step"])


def test_example_from_training_to_csv(page, database, shipped):
    """`shipped` has pressed its button."""
    page.goto(shipped)
    expect(page.get_by_text("8,375").first).to_be_visible()

    run = train(page, topics=20, passes=15)
    # The chart grows while it trains.
    chart = page.locator("[data-chart=coherence] .plotly")
    expect(chart.first).to_be_visible(timeout=TRAINING)
    expect(page.locator("[data-status]")).to_have_text(re.compile("Training"))
    first = points(page, run)
    rows = page.locator("[data-metrics] tr")
    page.wait_for_function(
        "n => document.querySelectorAll('[data-metrics] tr').length > n",
        arg=first + 2,
        timeout=TRAINING,
    )
    expect(page.locator("[data-topics] li").first).to_be_visible()

    # Reloading shows the whole history, and goes on live.
    page.reload()
    page.get_by_label("Open the overview when it is done").uncheck()
    shown = rows.count()
    assert points(page, run) >= shown > first
    expect(page.locator("[data-status]")).to_have_text(re.compile("Done"), timeout=TRAINING)
    shown = rows.count()
    with database.cursor() as cursor:
        stored = cursor.execute(
            "SELECT count(*) FROM webapp_metric WHERE run_id = %s", [run]
        ).fetchone()[0]
    assert shown == stored

    # What was watched can be watched again.
    page.locator("#step").focus()
    page.keyboard.press("Home")
    page.wait_for_url("**/runs/*/?step=*")
    expect(page.locator("[data-at]")).to_have_text(re.compile(r"^Step \d+ of"))

    page.get_by_role("link", name="Open the overview").click(timeout=TRAINING)
    page.wait_for_url("**/overview/")
    page.locator(".rooms").get_by_role("link", name="Topics", exact=True).click()
    page.wait_for_url("**/topics/")
    assert page.locator("table.topics tbody tr[data-topic]").count() == 20
    page.locator(".menu summary", has_text="Export").click()
    page.get_by_role("link", name="Files").click()
    long = downloaded(page, "Topics, one row per word, csv")
    wide = downloaded(page, "Topics, one per row, csv")
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT tw.topic, tw.rank + 1, w.word, tw.weight::text FROM topic_word tw JOIN"
            " webapp_run r ON r.snapshot_id = tw.snapshot_id JOIN word w ON w.version_id ="
            " r.version_id AND w.number = tw.word WHERE r.id = %s ORDER BY tw.topic, tw.rank",
            [run],
        )
        expected = [list(map(str, row)) for row in cursor.fetchall()]
    assert (
        long[0][:4] == ["topic", "rank", "word", "weight"]
        and [row[:4] for row in long[1:]] == expected
    )
    assert len(wide) == 21
    first = wide[0].index("word_1")
    for row in wide[1:]:
        assert row[first:] == [r[2] for r in expected if r[0] == row[0]][:20]

    # A topic, one of its documents, a word of it.
    page.get_by_role("link", name="Topics", exact=True).first.click()
    page.locator("table.topics tbody a.chip").first.click()
    page.wait_for_url(re.compile(r"/topics/\d+/"))
    word = page.locator("table.bars tbody th a").first.inner_text()
    page.locator("ol.results h3 a").first.click()
    page.wait_for_url(re.compile(r"/documents/\d+/"))
    assert page.locator(".text .w").count() > 5
    # Its topic is marked, as one came from there; a click goes back to the largest ones, another
    # marks another topic's words.
    pressed = page.locator(".proportions [aria-pressed=true]")
    expect(pressed).to_have_count(1)
    assert page.locator(".text .w.on").count() > 0
    pressed.click()
    expect(pressed).to_have_count(0)
    expect(page.locator(".shows [aria-pressed=true]")).to_have_text("the three largest")
    page.locator(".proportions [aria-pressed]").first.click()
    expect(pressed).to_have_count(1)
    page.goto(f"/runs/{run}/words/{word}/")
    expect(page.get_by_role("heading", name=word, exact=True)).to_be_visible()
    assert page.locator("article.sense").count() >= 1


def test_uploaded_csv(page, database):
    """Columns are guessed from a file whose header says little, and can be changed."""
    rows = example_rows(600)
    rows[0] = ["key", "headline", "year", "who", "side", "body"]
    page.goto("/")
    content = gzip.compress(as_csv(rows))
    page.locator("input[name=files]").set_input_files(
        {"name": "speeches.csv.gz", "mimeType": "application/gzip", "buffer": content}
    )
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/prepare/")
    expect(page.get_by_label("Text", exact=True)).to_have_value("5")
    page.get_by_label("Name").first.fill("Speeches")
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    page.get_by_role("button", name="Read the corpus").click()
    expect(page.get_by_label("Number of topics")).to_be_visible(timeout=READING)
    expect(page.get_by_role("heading", name="Speeches")).to_be_visible()

    run = train(page, topics=8, passes=5)
    # It leads to its overview by itself
    page.wait_for_url(re.compile(r"/runs/\d+/\w+/"), timeout=TRAINING)
    documents = page.request.get(f"/runs/{run}/export/document-topics.csv").text()
    table = list(csv.DictReader(io.StringIO(documents)))
    ids = {int(row["document"]): row["id"] for row in table}
    assert all(rows[number + 1][0] == source_id for number, source_id in ids.items())
    with database.cursor() as cursor:
        documents_of_topics, tokens = cursor.execute(
            "SELECT sum(t.documents), sum(t.tokens) FROM webapp_topic t JOIN webapp_run r ON"
            " r.snapshot_id = t.snapshot_id WHERE r.id = %s",
            [run],
        ).fetchone()
    assert (len(table), sum(int(row["tokens"]) for row in table)) == (documents_of_topics, tokens)
