"""The page, the API and import_corpus read a draft alike, whatever it is."""

import csv
import gzip
import io
import itertools
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.webapp.intake.ingest.test_upload import prepare
from webapp.intake.file_formats import looking
from webapp.intake.ingest import previews
from webapp.intake.ingest.sample import limits
from webapp.models import Corpus

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = sorted((ROOT / "docs/formats").glob("address*"))
COLLECTIONS = sorted((ROOT.parent / "shared/corpora").glob("*.gz"))
ROWS = 250  # of each collection that are read here


class _Form(HTMLParser):
    """What a browser sends of the form of a page that nobody touched."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.select = self.area = ""
        self.first: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        about = {name: value if value is not None else "" for name, value in attributes}
        name = about.get("name", "")
        if tag == "input" and name and about.get("type") not in ("submit", "button", "file"):
            is_box = about.get("type") in ("checkbox", "radio")
            if "checked" in about or not is_box:
                value = about.get("value", "on" if is_box else "")
                self.sent.setdefault(name, []).append(value)
        elif tag == "select":
            self.select = name
            self.first = None
        elif tag == "option" and self.select:
            value = about.get("value", "")
            self.first = value if self.first is None else self.first
            if "selected" in about:
                self.sent.setdefault(self.select, []).append(value)
        elif tag == "textarea":
            self.area = name
            self.sent.setdefault(name, []).append("")

    def handle_data(self, data: str) -> None:
        if self.area:
            self.sent[self.area][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            if self.select and self.select not in self.sent and self.first is not None:
                self.sent[self.select] = [self.first]
            self.select = ""
        elif tag == "textarea":
            self.area = ""


def beginning(path: Path) -> tuple[str, bytes]:
    """A collection's first rows, under its own name."""
    name = path.name.removesuffix(".gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        if not name.endswith(".csv"):
            return name, "".join(itertools.islice(file, ROWS)).encode()
        csv.field_size_limit(1 << 30)
        written = io.StringIO()
        csv.writer(written).writerows(itertools.islice(csv.reader(file), ROWS))
    return name, written.getvalue().encode()


def agree(client, name: str, content: bytes) -> Corpus:
    """That the page sends what `previews.propose` says, and the corpus is then read so."""
    corpus, url = prepare(client, (name, content))
    with looking.within(300.0, lambda: False):
        proposal = previews.propose(corpus)
    page = client.get(url).content.decode()
    form = _Form()
    _, _, behind = page.partition('<form method="post" data-prepare')
    form.feed(behind.partition("</form>")[0].partition(">")[2])
    answer = client.post(url, form.sent)
    if answer.status_code != 302:
        shown = answer.context["page"]
        raise AssertionError((name, shown.form.errors, shown.shaping.errors))
    corpus.refresh_from_db()
    proposed = proposal.reading
    for field in ("options", "shaping"):
        own = getattr(proposed, field)
        assert _plain(corpus.settings[field]) == _plain(own), (name, field)
    for field in ("language", "also", "min_documents", "max_share", "section_words"):
        assert corpus.settings[field] == getattr(proposed, field), (name, field)
    assert corpus.unit == proposal.unit
    return corpus


def _plain(value):
    """As JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_of_every_format(client, path):
    agree(client, path.name, path.read_bytes())


@pytest.mark.parametrize("path", COLLECTIONS, ids=lambda path: path.name)
def test_of_every_collection(client, path):
    agree(client, *beginning(path))


def test_interjections_that_recur_are_left_out_by_all(client):
    calls = ["(Beifall)", "(Heiterkeit)", "(Zuruf)", "(Beifall bei der SPD)"]
    rows = "".join(
        f'{i},"Wir reden über den Haushalt. {calls[i % 4]} Und über die Renten. {calls[(i + 1) % 4]}'
        f' Nummer {i} ist wichtig."\n'
        for i in range(60)
    )
    corpus = agree(client, "reden.csv", ("id,text\n" + rows).encode())
    assert "interjections" in corpus.settings["shaping"]["silent"]
