"""Under embargo no answer holds more of a text than a short passage: every address there is, walked on texts of random words."""

import gzip
import io
import json
import random
import re
import zipfile
from uuid import uuid4

import numpy as np
import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client
from django.urls import reverse

from inference.errors import Invalid
from tests import addresses
from tests.webapp.making import corpus_of, run_on
from webapp import exports
from webapp.accounts import embargo
from webapp.models import Corpus, Run
from webapp.notebooks import services as notebooks
from webapp.results.view import RunView

pytestmark = pytest.mark.django_db

LETTERS = 8  # of each word
WORD = re.compile(rf"(?<![a-z])[a-z]{{{LETTERS}}}(?![a-z])")
DOCUMENTS, WORDS = 24, 400


def texts() -> list[list[str]]:
    """Each document holds the same words in an order of its own: a stretch of it that appears anywhere is no accident."""
    chance = random.Random(7)
    words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=LETTERS)) for _ in range(WORDS)]
    return [chance.sample(words, WORDS) for _ in range(DOCUMENTS)]


def longest(answer: str) -> int:
    """Characters of the longest stretch of a document's text in an answer, whatever stands between its words."""
    found = WORD.findall(answer)
    most = 0
    for text in texts():
        place, run = {word: i for i, word in enumerate(text)}, 0
        for word, following in zip(found, found[1:], strict=False):
            run = run + 1 if place.get(word, -9) + 1 == place.get(following, -1) else 0
            most = max(most, (run + 1) * (LETTERS + 1))
    return most


def readable(body: bytes, name: str) -> str:
    """All the text that a file holds, archives opened."""
    if name.endswith(("zip", "npz")):
        archive = zipfile.ZipFile(io.BytesIO(body))
        return "\n".join(readable(archive.read(member), member) for member in archive.namelist())
    if name.endswith("gz"):
        return gzip.decompress(body).decode()
    if name.endswith("parquet"):
        return json.dumps(pq.read_table(io.BytesIO(body)).to_pylist())
    if name.endswith("npy"):
        assert "offset" not in name
        return " ".join(map(str, np.load(io.BytesIO(body)).ravel().tolist()))
    return body.decode()


@pytest.fixture(scope="module")
def shut(draft, django_db_setup, django_db_blocker):
    """A finished run on texts that are under embargo."""
    from webapp.ingest import corpora

    rows = [["title", "date", "party", "text"]]
    rows += [[f"Document {i}", str(1900 + i), "ab"[i % 2], " ".join(words)] for i, words in enumerate(texts())]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "shut.csv", language="en", min_documents=1, max_share=1.0)
        run = run_on(corpus, seed=1, topics=3, passes=2)
        corpora.embargo(corpus, True)
        run = Run.objects.select_related("corpus", "snapshot").get(pk=run.pk)
        assert run.status == "done" and run.corpus.embargo
        yield run
        corpora.embargo(corpus, False)


def get(url: str) -> tuple[int, bytes]:
    """As a browser gets it; files that are streamed need a client of their own kind."""
    if "/export/" not in url:
        response = Client().get(url)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        for (
            close
        ) in response._resource_closers:  # response.close() would close the test's connection to the database, too
            close()
        return response.status_code, body

    async def fetch():
        response = await AsyncClient().get(url)
        body = (
            b"".join([piece async for piece in response.streaming_content]) if response.streaming else response.content
        )
        return response.status_code, body

    return async_to_sync(fetch)()


def queries() -> list[str]:
    """What an address may be asked with, each alone and a few together."""
    phrase = " ".join(texts()[2][100:112])  # short: an address is said again on its page
    first, second = texts()[2][50:52]
    return ["", f"?q={first}", f"?q={first}+{second}", f'?q="{phrase}"', "?has=0:1", "?has=0:1&by=T00", "?topic=0", "?by=date", "?from=1905&to=1910",
            "?in=party:a", f"?q={first}&has=1:1&by=relevance", "?after=0.1,3", "?page=2", "?length=100000", "?window=100000", "?context=100000",
            f"?word={first}", f"?word={first}&other={second}", "?topic=all", "?topic=all&sort=left", "?sort=number", "?all=1", "?full=1"]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    sorted(addresses.names() - set(addresses.POSTS) - set(addresses.STREAMS) - set(addresses.ELSEWHERE) - {"export"}),
)
def test_no_page_and_no_twin_holds_more_than_a_passage(shut, name, monkeypatch):
    monkeypatch.setitem(addresses.VALUES, "word", texts()[2][50])
    url = addresses.address(name, shut.corpus_id, shut.pk)
    answered = 0
    for query in queries():
        status, body = get(url + query)
        answered += status == 200
        assert longest(body.decode()) <= embargo.PASSAGE + LETTERS, (url + query, longest(body.decode()))
    assert answered or name == "corpus_prepare", "a walk on which nothing was answered shows nothing"


@pytest.mark.parametrize("form", exports.FORMS)
def test_no_file_holds_more_than_a_passage(shut, form):
    for ending in exports.FORMS[form].endings:
        for query in ("", f"?word={texts()[2][50]}", "?q=" + texts()[2][50]):
            status, body = get(reverse("export", args=[shut.pk, f"{form}.{ending}"]) + query)
            refused = exports.FORMS[form].texts or (exports.FORMS[form].asks and "word" not in query)
            assert status == (400 if refused else 200)
            assert longest(readable(body, ending if status == 200 else "")) <= embargo.PASSAGE + LETTERS, (form, ending)


def test_the_walk_would_find_a_text(shut):
    """The same address without an embargo: the measure sees what it is meant to see."""
    url = reverse("run_document_json", args=[shut.pk, 2])
    assert longest(get(url)[1].decode()) < 2 * LETTERS + 3
    Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
    assert longest(" ".join(texts()[2])) == WORDS * (LETTERS + 1)
    assert longest(get(reverse("run_document", args=[shut.pk, 2]))[1].decode()) == WORDS * (LETTERS + 1)


def test_pages_say_why(client, shut):
    for name in ("run_document", "corpus_document"):
        owner = shut.pk if name == "run_document" else shut.corpus_id
        assert b"under embargo" in client.get(reverse(name, args=[owner, 2])).content
    assert "mallet-state" not in client.get(reverse("run_take", args=[shut.pk])).content.decode()


def test_owner_sets_and_ends_it(client, ready):
    assert b"Put the texts under embargo" in client.get(reverse("corpus", args=[ready.pk])).content
    client.post(reverse("corpus_embargo", args=[ready.pk]), {"embargo": "1"})
    assert Corpus.objects.get(pk=ready.pk).embargo
    assert b"End the embargo" in client.get(reverse("corpus", args=[ready.pk])).content
    client.post(reverse("corpus_embargo", args=[ready.pk]), {"embargo": ""})
    assert not Corpus.objects.get(pk=ready.pk).embargo


def test_a_passage_is_cut_around_what_is_marked(ready):
    ready = Corpus(embargo=True)
    parts = [("a" * 500, False), ("mark", True), ("b" * 500, False)]
    cut = embargo.passage(ready, parts)
    assert sum(len(text) for text, _ in cut) == embargo.PASSAGE + 4 and ("mark", True) in cut
    assert cut[0] == ("… ", False) and cut[-1] == (" …", False)
    assert embargo.passage(ready, [("short", False)]) == [("short", False)]
    assert embargo.passage(Corpus(), parts) == parts
    whole = embargo.passage(ready, [("c" * 300, True)])
    assert sum(len(text) for text, _ in whole if "c" in text) == embargo.PASSAGE


def test_a_line_is_cut_on_both_sides():
    shut = Corpus(embargo=True)
    before, word, after = embargo.line(shut, "a" * 400, "word", "b" * 400)
    assert len(before) + len(word) + len(after) == embargo.PASSAGE and word == "word"
    assert len("".join(embargo.line(shut, "a" * 400, "w" * 300, "b"))) == embargo.PASSAGE
    assert embargo.line(Corpus(), "a" * 400, "word", "") == ("a" * 400, "word", "")


def test_of_one_document_some_lines_can_be_walked_through(trained, monkeypatch):
    """Where a word stands in a document more often, the others are not shown, on any page of the list."""
    from webapp.documents.selection import Selection
    from webapp.words import concordance, senses
    from webapp.words import queries as words

    monkeypatch.setattr(embargo, "LINES", 1)
    word = words.word(trained.version, "congress")
    selection = Selection.all(RunView(trained))
    uses = senses.uses(RunView(trained), word, selection)
    assert (
        sum(map(len, concordance.every(selection, uses)))
        == concordance.page(selection, uses, None).total
        == word.tokens
        > word.documents
    )
    monkeypatch.setattr(trained.corpus, "embargo", True)
    lines = [line for block in concordance.every(selection, uses) for line in block]
    assert (
        len(lines)
        == concordance.page(selection, uses, None).total
        == word.documents
        == len({line["document"] for line in lines})
    )


def test_a_notebook_keeps_no_more_than_a_passage(client, shut):
    from webapp.notebooks import queries as kept

    words = texts()[2]
    with pytest.raises(Invalid, match="embargo"):
        kept.of_passage(shut.corpus, shut, 2, " ".join(words[:100]), None, None)
    with pytest.raises(Invalid, match="embargo"):
        kept.of_passage(shut.corpus, shut, 2, "", 0, 100)
    short = kept.of_passage(shut.corpus, shut, 2, " ".join(words[:5]), None, None)
    assert short["quote"] == " ".join(words[:5])
    book = notebooks.create(f"Kept {uuid4()}", "owner")
    before = Corpus.objects.get(pk=shut.corpus_id)
    before.embargo = False
    notebooks.pin(book, kept.of_passage(before, shut, 2, " ".join(words[:100]), None, None), "", "owner")
    for name in ("notebook", "notebook_json", "notebook_md", "notebook_html"):
        body = client.get(reverse(name, args=[book.pk])).content.decode()
        assert 5 * LETTERS < longest(body) <= embargo.PASSAGE + LETTERS


def test_reading_the_files_in_another_way_shows_no_text(client, shut):
    """Whatever the form says: sections that follow each other, another column as the title, all in one column."""
    from webapp.corpora import deletion
    from webapp.ingest import corpora

    draft = corpora.again(shut.corpus)
    url = reverse("corpus_prepare", args=[draft.pk])
    shown = client.get(url).content.decode()
    assert "under embargo" in shown and longest(shown) <= embargo.PASSAGE + LETTERS
    assert "Document 0" in shown, "what it is of is said"
    for form in (
        {"text": "3", "sections": "words", "length": "20"},
        {"text": "0", "title": "3"},
        {"delimiter": "|", "header": "on"},
    ):
        shown = client.post(url, {"name": "x", "language": "en", "preview": "1"} | form).content.decode()
        assert longest(shown) <= embargo.PASSAGE + LETTERS, form
    deletion.corpus(draft)


def test_files_that_are_to_be_added_are_under_the_embargo_too(client, shut):
    """Also those that came before it: what one editor uploads is not shown to another, nor to the owner."""
    from webapp.corpora import deletion
    from webapp.ingest import corpora

    def upload(i: int) -> Corpus:
        body = "\n".join(
            ["title,date,text", *(f"More {n},1901-01-01,{' '.join(words)}" for n, words in enumerate(texts()))]
        ).encode()
        answer = client.post(
            reverse("corpus_add", args=[shut.corpus_id]), {"files": SimpleUploadedFile(f"{i}.csv", body)}
        )
        return Corpus.objects.get(pk=int(re.search(r"corpora/(\d+)/prepare", answer["Location"])[1]))

    during = upload(0)
    Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
    before = upload(1)
    assert (
        longest(client.get(reverse("corpus_prepare", args=[before.pk])).content.decode()) > embargo.PASSAGE + LETTERS
    ), "the walk would find a text"
    corpora.embargo(shut.corpus, True)
    for draft in (during, before):
        shown = client.get(reverse("corpus_prepare", args=[draft.pk])).content.decode()
        assert "under embargo" in shown and "More 0" in shown and longest(shown) <= embargo.PASSAGE + LETTERS
        deletion.corpus(draft)


def test_an_embargo_reaches_the_parts_that_were_made_before(ready):
    """Whosever they are, and parts of parts, and deleted ones that can come back; and a part's can't be ended before its parent's."""
    from webapp.corpora import deletion
    from webapp.ingest import corpora

    def part(of: Corpus) -> Corpus:
        return Corpus.objects.create(name="part", parent=of, provenance={"parent": {"id": of.pk}})

    parent = Corpus.objects.create(name="parent")
    parts = [part(parent), part(parent)]
    parts.append(part(parts[0]))
    elsewhere = Corpus.objects.create(name="elsewhere")
    deletion.corpus(parts[1])
    corpora.embargo(parent, True)
    assert all(Corpus.everything.filter(pk__in=[p.pk for p in parts]).values_list("embargo", flat=True))
    assert not Corpus.objects.get(pk=elsewhere.pk).embargo
    with pytest.raises(Invalid, match="must end first"):
        corpora.embargo(parts[0], False)
    corpora.embargo(parent, False)
    assert Corpus.objects.get(pk=parts[0].pk).embargo, "each is ended by its own owner"
    corpora.embargo(parts[0], False)
    assert not Corpus.objects.get(pk=parts[0].pk).embargo
    Corpus.everything.filter(pk=parts[2].pk).update(parent=None)
    with pytest.raises(Invalid, match="is deleted"):
        corpora.embargo(parts[2], False)
