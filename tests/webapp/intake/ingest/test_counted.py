"""What is read otherwise than it was written is counted at the top of the preview, with what to do."""

import pytest

from benchmarks.faithful.pdf_file import Letters, Picture, pdf
from tests.webapp.intake.ingest.shaping.test_shared import NOTICE, own
from tests.webapp.intake.ingest.test_as_written import losses, patient, seen, text, zipped
from tests.webapp.intake.ingest.test_upload import prepare

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(patient.__name__)]
__all__ = ["patient"]


def journal() -> bytes:
    """A PDF of four pages with a header and page numbers."""
    return pdf(
        [
            [Letters(60, 810, "JOURNAL OF EXAMPLES"), Letters(60, 700, text(i)), Letters(300, 30, str(i))]
            for i in range(1, 5)
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "kind", "sentence"),
    [
        ("a.txt", "The Ã¶ and Ã¼ and Ã¤ of the river.", "twice", "letters were saved in a wrong"),
        ("a.txt", "The river\x00 rose.", "characters", "has characters that could not be read"),
        ("a.ris", "TY  - JOUR\nTI  - Of rivers\nER  - \n", "no abstract", "has no abstract"),
        ("a.csv", "id,text\n1,The river rose\n2,The mill,more\n", "row", "row is broken, or has"),
        (
            "_chat.txt",
            "13/01/2020, 09:00 - Messages are encrypted.\n13/01/2020, 09:01 - Anna: It rose\n",
            "notice",
            "notice, or message without text, is left out",
        ),
        (
            "a.xml",
            '<!DOCTYPE TEI SYSTEM "x.dtd"><TEI><text><body><p>It &rose; rose</p></body></text></TEI>',
            "entity",
            "is defined outside of its file",
        ),
    ],
)
def test_what_is_changed_is_counted(client, name, content, kind, sentence):
    page, words = seen(client, name, content)
    assert kind in losses(page), losses(page)
    assert sentence in words
    assert words.index(sentence) < words.index("The first documents")


def test_a_text_that_is_not_in_the_encoding_that_was_chosen_is_counted_as_that(client):
    content = f"Größe der Bäume, überall. {text(1)}".encode("cp1252")
    corpus, url = prepare(client, ("a.txt", content))
    page = client.get(url).context["page"]
    assert losses(page) == {}
    sent = {**page.form.sent(), **page.shaping.sent(), "encoding": "utf-8", "preview": "1"}
    page = client.post(url, sent).context["page"]
    assert losses(page) == {"encoding": 1} and "Größe" in page.sample.first[0]["text"]


def test_lines_that_run_through_pages_are_left_out_and_counted_unless_they_are_wanted(client):
    corpus, url = prepare(client, ("a.pdf", journal()))
    page = client.get(url).context["page"]
    assert losses(page) == {"running": 8} and "JOURNAL" not in page.sample.first[0]["text"]
    sent = {**page.form.sent(), **page.shaping.sent()}
    assert sent.pop("running")
    page = client.post(url, sent | {"preview": "1"}).context["page"]
    assert losses(page) == {} and page.sample.first[0]["text"].count("JOURNAL") == 4


def test_a_text_behind_pictures_is_read_and_they_are_counted(client):
    """Covers and plates: by the first pages alone the file would be refused."""
    pictures = [[Picture(50, 50, 400, 600)]] * 7
    page, _ = seen(client, "a.pdf", pdf([*pictures, [Letters(60, 700, text(1))]]))
    assert losses(page) == {"empty page": 7} and text(1) in page.sample.first[0]["text"]


def test_lines_that_run_through_the_pages_of_a_plain_text(client):
    """As pdftotext writes pages: each ends with a form feed."""
    pages = [f"JOURNAL OF EXAMPLES\n\n{text(i)}\n\n{i}" for i in range(1, 6)]
    page, _ = seen(client, "a.txt", "\f".join(pages) + "\f")
    assert losses(page) == {"running": 10}
    assert "JOURNAL" not in page.sample.first[0]["text"] and text(3) in page.sample.first[0]["text"]


def test_what_many_texts_share_is_proposed_to_be_left_out(client):
    files = {f"{i:02}.txt": f"Filter\n{own(i)}\n{NOTICE}" for i in range(12)}
    page, words = seen(client, "a.zip", zipped(files))
    chosen = {silence.name for silence in page.silences if silence.chosen}
    assert "line:Filter" in chosen and any(name.startswith("all:We use cookies") for name in chosen)
    assert "“Filter”, as a line of its own, in many texts" in words
