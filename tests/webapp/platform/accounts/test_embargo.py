"""Under embargo no answer holds more of a text than a short passage: every address there is, walked
on texts of random words."""

import ast
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from urllib.parse import parse_qsl
from uuid import uuid4

import numpy as np
import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client
from django.urls import reverse
from scipy.stats import chisquare

from inference.errors import Invalid
from tests import addresses
from tests.looked_up import looked_up
from tests.webapp.making import corpus_of, run_on
from webapp.core.documents import document_groups
from webapp.core.notebooks import pin_contents, services as notebooks
from webapp.core.results.view import RunView
from webapp.models import Corpus, Run
from webapp.platform.accounts import embargo
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.accounts.embargo.limits import COUNT_STEP
from webapp.platform.accounts.embargo.rules import draw_below_step
from webapp.service.exports.catalogue import EXPORT_KINDS

pytestmark = pytest.mark.django_db

LETTERS = 8  # of each word
WORD = re.compile(rf"(?<![a-z])[a-z]{{{LETTERS}}}(?![a-z])")
DOCUMENTS = 24
WORDS = 400


@cache
def texts() -> list[list[str]]:
    """Each document holds the same words in an order of its own: a stretch of it that appears
    anywhere is no accident."""
    chance = random.Random(7)
    words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=LETTERS)) for _ in range(WORDS)]
    return [chance.sample(words, WORDS) for _ in range(DOCUMENTS)]


@cache
def followed() -> dict[tuple[str, str], list[int]]:
    """Which texts hold two words one after the other."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, text in enumerate(texts()):
        for pair in pairwise(text):
            found.setdefault(pair, []).append(number)
    return found


def longest(answer: str) -> int:
    """Characters of the longest stretch of a document's text in an answer, whatever stands between
    its words."""
    texts_with = followed()
    most = 0
    runs = {}
    for pair in pairwise(WORD.findall(answer)):
        runs = {text: runs.get(text, 1) + 1 for text in texts_with.get(pair, ())}
        most = max(most, *runs.values(), 1)
    return most * (LETTERS + 1)


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

    rows = [["title", "date", "party", "text"]]
    rows += [
        [f"Document {i}", str(1900 + i), "ab"[i % 2], " ".join(words)]
        for i, words in enumerate(texts())
    ]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "shut.csv", language="en", min_documents=1, max_share=1.0)
        run = run_on(corpus, seed=1, topics=3, passes=2)
        set_embargo(corpus, True)
        run = Run.objects.select_related("corpus", "snapshot").get(pk=run.pk)
        assert run.status == "done" and run.corpus.embargo
        yield run
        set_embargo(corpus, False)


def get(url: str) -> tuple[int, bytes]:
    """As a browser gets it; files that are streamed need a client of their own kind."""
    if not any(path in url for path in ("/export/", "/readings.csv", "/time.csv")):
        response = Client().get(url)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        # response.close() would close the test's connection to the database, too
        for close in response._resource_closers:
            close()
        return response.status_code, body

    async def fetch():
        response = await AsyncClient().get(url)
        body = (
            b"".join([piece async for piece in response.streaming_content])
            if response.streaming
            else response.content
        )
        return response.status_code, body

    return async_to_sync(fetch)()


def queries() -> list[str]:
    """What an address may be asked with, each alone and a few together."""
    phrase = " ".join(texts()[2][100:112])  # short: an address is said again on its page
    first, second = texts()[2][50:52]
    return [
        "",
        f"?q={first}",
        f"?q={first}+{second}",
        f'?q="{phrase}"',
        "?has=0:1",
        "?has=0:1&by=T00",
        "?topic=0",
        "?by=date",
        "?from=1905&to=1910",
        "?in=party:a",
        "?in_a=party:a",
        f"?q={first}&has=1:1&by=relevance",
        "?after=0.1,3",
        f"?word={first}",
        f"?word={first}&other={second}",
        "?topic=all",
        "?topic=all&sort=left",
        "?sort=number",
    ]


def names_in(query: str) -> set[str]:
    return {name for name, _ in parse_qsl(query.removeprefix("?"))}


# A corpus that is read already has no draft; of this run no short trainings were asked for
NOT_ANSWERED = (
    "compare_topics_csv",  # of two runs, and there is one
    "corpus_prepare",
    "corpus_pseudonyms",
    "run_how_many_csv",
)
# What no page reads: it is answered as without
MORE = "?page=2&length=100000&window=100000&context=100000&all=1&full=1"


WALKED = (
    addresses.names()
    - set(addresses.POSTS)
    - set(addresses.STREAMS)
    - set(addresses.ELSEWHERE)
    - {"export"}
)


@pytest.mark.parametrize("page", sorted({name.removesuffix("_json") for name in WALKED}))
def test_no_page_and_no_twin_holds_more_than_a_passage(shut, page):
    """Both by one test: what is computed of a set of documents is computed once."""
    for name in sorted({page, f"{page}_json"} & WALKED):
        holds_no_more_than_a_passage(shut, name)


def holds_no_more_than_a_passage(shut, name: str) -> None:
    """Each query whose parameters the page looks at is asked for itself. All others are asked
    together, as none of them changes the answer, or hides another."""
    url = addresses.address(name, shut.corpus_id, shut.pk, word=texts()[2][50])
    answered = {}

    def ask(query: str) -> None:
        answered[query], body = get(url + query)
        most = longest(body.decode())
        assert most <= embargo.PASSAGE + LETTERS, (url + query, most)

    waiting = [*queries(), f"?run={shut.pk}"]
    with looked_up() as names:
        while looked_at := [q for q in waiting if not q or names_in(q) & names]:
            for query in looked_at:
                ask(query)
            waiting = [query for query in waiting if query not in looked_at]
    if waiting:
        together = "?" + "&".join(query.removeprefix("?") for query in waiting)
        ask(together)
        if answered[together] != answered[""]:
            # It looks at some of them in a copy of its address, and one may have hidden the others
            for query in waiting:
                ask(query)
    ask(MORE)
    assert answered[MORE] == answered[""]
    assert 200 in answered.values() or name in NOT_ANSWERED, (
        "a walk on which nothing was answered shows nothing"
    )


def test_what_a_page_looks_at_is_noticed(shut):
    """Else its queries would be asked together, and the first that is refused would hide others."""
    for name, expected in (
        ("run_documents", {"q", "has", "in", "from", "to", "by", "after"}),
        ("run_word_json", {"topic", "sort", "by"}),
        ("run_time_compare", {"in_a"}),
        ("corpus_documents_json", {"q", "in"}),
    ):
        with looked_up() as names:
            get(addresses.address(name, shut.corpus_id, shut.pk, word=texts()[2][50]))
        assert expected <= names, name


@pytest.mark.parametrize("form", EXPORT_KINDS)
def test_no_file_holds_more_than_a_passage(shut, form):
    """Every format has the same rows: one is asked for with words, too."""
    first, *others = EXPORT_KINDS[form].endings
    word = texts()[2][50]
    asked = [(first, ""), (first, f"?word={word}"), (first, f"?q={word}")]
    asked += [(ending, f"?word={word}") for ending in others]
    for ending, query in asked:
        status, body = get(reverse("export", args=[shut.pk, f"{form}.{ending}"]) + query)
        refused = EXPORT_KINDS[form].texts or (EXPORT_KINDS[form].asks and "word" not in query)
        assert status == (400 if refused else 200)
        most = longest(readable(body, ending if status == 200 else ""))
        assert most <= embargo.PASSAGE + LETTERS, (form, ending, most)


def test_the_walk_would_find_a_text(shut):
    """The same address without an embargo: the measure sees what it is meant to see."""
    url = reverse("run_document_json", args=[shut.pk, 2])
    assert longest(get(url)[1].decode()) < 2 * LETTERS + 3
    Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
    assert longest(" ".join(texts()[2])) == WORDS * (LETTERS + 1)
    assert longest(get(reverse("run_document", args=[shut.pk, 2]))[1].decode()) == WORDS * (
        LETTERS + 1
    )


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


def test_a_piece_is_cut_around_what_matters(shut):
    text = " ".join(texts()[2])
    asked = [
        (2, 500, 1_000, 600),
        (2, 0, 1_000, 0),
        (2, 500, 50, 520),
        (2, len(text) - 30, 100, len(text) - 20),
    ]
    pieces = embargo.read_pieces(shut.corpus, asked)
    assert [(p.number, p.first, len(p.text), p.more) for p in pieces] == [
        (2, 600 - embargo.PASSAGE // 3, embargo.PASSAGE, True),
        (2, 0, embargo.PASSAGE, True),
        (2, 500, 50, True),
        (2, len(text) - 30, 30, False),
    ]
    assert all(text[p.first :].startswith(p.text) for p in pieces)
    Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
    opened = embargo.read_pieces(Corpus.objects.get(pk=shut.corpus_id), asked)
    assert [(p.first, len(p.text), p.more) for p in opened][:2] == [
        (500, 1_000, True),
        (0, 1_000, True),
    ]


def test_of_one_document_some_lines_can_be_walked_through(trained, monkeypatch):
    """Where a word stands in a document more often, the others are not shown, on any page of the
    list."""
    from webapp.analysis.words import concordance, queries as words, senses
    from webapp.core.documents.selection import Selection

    monkeypatch.setattr(embargo.rules, "LINES", 1)
    word = words.word(trained.version, "congress")
    selection = Selection.all(RunView(trained))
    uses = senses.uses(RunView(trained), word, selection)
    assert (
        sum(map(len, concordance.all_lines(selection, uses)))
        == concordance.page(selection, uses, None).total
        == word.tokens
        > word.documents
    )
    monkeypatch.setattr(trained.corpus, "embargo", True)
    lines = [line for block in concordance.all_lines(selection, uses) for line in block]
    assert (
        len(lines)
        == concordance.page(selection, uses, None).total
        == word.documents
        == len({line.document for line in lines})
    )


def test_a_notebook_keeps_no_more_than_a_passage(client, shut):

    words = texts()[2]
    with pytest.raises(Invalid, match="embargo"):
        pin_contents.of_passage(shut.corpus, shut, 2, " ".join(words[:100]), None, None)
    with pytest.raises(Invalid, match="embargo"):
        pin_contents.of_passage(shut.corpus, shut, 2, "", 0, 100)
    short = pin_contents.of_passage(shut.corpus, shut, 2, " ".join(words[:5]), None, None)
    assert short.quote == " ".join(words[:5])
    book = notebooks.create(f"Kept {uuid4()}", "owner")
    before = Corpus.objects.get(pk=shut.corpus_id)
    before.embargo = False
    notebooks.pin(
        book,
        pin_contents.of_passage(before, shut, 2, " ".join(words[:100]), None, None),
        "",
        "owner",
    )
    for name in ("notebook", "notebook_json", "notebook_md", "notebook_html"):
        body = client.get(reverse(name, args=[book.pk])).content.decode()
        assert 5 * LETTERS < longest(body) <= embargo.PASSAGE + LETTERS
    assert (
        longest(client.get(reverse("notebook_bib", args=[book.pk])).content.decode())
        < 2 * LETTERS + 3
    )


@pytest.mark.parametrize("quote", ["", " ", "…", " … ", "……", "… …", "\u00a0…\u2003", "…\n…"])
def test_a_pin_by_its_place_alone_gives_nothing(client, shut, quote):
    """Whatever stands for a quotation: by place a few pins would be a document."""
    book = notebooks.create(f"Pins {uuid4()}", "owner")
    sent = {
        "notebook": book.pk,
        "kind": "passage",
        "document": 2,
        "start": 0,
        "end": 200,
        "quote": quote,
    }
    for of in ({"corpus": shut.corpus_id}, {"run": shut.pk}):
        said = client.post(reverse("pin"), sent | of, follow=True).content.decode()
        assert "under embargo" in said and longest(said) < 2 * LETTERS + 3
    assert not book.pins.exists()


def test_a_pin_of_a_run_that_is_gone_for_good_is_shortened_too(client, shut):

    book = notebooks.create(f"Kept {uuid4()}", "owner")
    before = Corpus.objects.get(pk=shut.corpus_id)
    before.embargo = False
    pin = notebooks.pin(
        book,
        pin_contents.of_passage(before, shut, 2, " ".join(texts()[2][:100]), None, None),
        "",
        "owner",
    )
    pin.address = reverse("run_document", args=[10**9, 2])
    pin.save()
    shown = client.get(reverse("notebook", args=[book.pk])).content.decode()
    assert 5 * LETTERS < longest(shown) <= embargo.PASSAGE + LETTERS


# Text leaves the database in one place
# -------------------------------------------------------------------------------

# Modules besides webapp.platform.accounts.embargo that name the table `document`, and what for:
# none of them shows anything.
STORE = {
    "webapp/models/__init__.py": "hands the model on",
    "webapp/models/corpora.py": "says what the table is",
    "webapp/platform/storage/bulk.py": "fills its partitions, and copies them for backups",
    "webapp/intake/ingest/subset.py": (
        "copies rows to a part, which is under embargo where its parent is"
    ),
}
TABLE = re.compile(
    r"\b(?:from|join|into|update|only|copy|table|using)\s+(?:lateral\s+)?[\"']?(?:public\.)?document\b",
    re.I,
)

STATEMENT = re.compile(r"\b(SELECT|COPY|UPDATE|FROM|JOIN)\b")  # SQL is written in capitals here


def strings(tree: ast.AST) -> Iterator[str]:
    """Every text that a module writes down, those in pieces put together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def reads_documents(source: str) -> list[str]:
    """Where a module could read the table `document`: by SQL, by its model, or by a model that is
    looked up by its name."""
    tree = ast.parse(source)
    found = [text for text in strings(tree) if TABLE.search(text) and STATEMENT.search(text)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("webapp.models."):
            found += [alias.name for alias in node.names if alias.name in ("Document", "*")]
        elif (
            isinstance(node, ast.Attribute)
            and node.attr == "Document"
            and ast.unparse(node.value) in ("models", "webapp.models")
        ):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get_model":
            found += [ast.unparse(node)] if "document" in ast.unparse(node).lower() else []
    return found


def test_text_leaves_the_database_in_one_package():
    root = settings.BASE_DIR
    paths = [
        p for room in ("webapp", "tasks", "inference") for p in sorted((root / room).rglob("*.py"))
    ]
    read = {
        str(p.relative_to(root))
        for p in paths
        if "migrations" not in p.parts and reads_documents(p.read_text())
    }
    embargo_folder = "webapp/platform/accounts/embargo"
    of_embargo = {f"{embargo_folder}/{name}.py" for name in ("fields", "texts")}
    elsewhere = read - STORE.keys() - of_embargo
    assert not elsewhere, (
        f"{sorted(elsewhere)} read texts or titles: functions of webapp.platform.accounts.embargo"
        " give what may be shown of them, such as “about” and “beginnings”."
    )
    assert of_embargo <= read
    assert "webapp/intake/ingest/subset.py" in read, (
        "what is allowed and not needed would hide what comes later"
    )


@pytest.mark.parametrize(
    "source",
    [
        'rows("SELECT text FROM document WHERE corpus_id = %s")',
        'rows("SELECT title, " "left(text, 9) FROM word JOIN document d ON true")',
        'rows(f"SELECT {names} FROM document WHERE {where}")',
        'cursor.copy("COPY document TO STDOUT")',
        'rows("""\n SELECT substr(d.text, 1)\n FROM\n   "document" d""")',
        "from webapp.models import Corpus, Document",
        "from webapp.models import *",
        "from webapp import models\nmodels.Document.objects.all()",
        'apps.get_model("webapp", "Document")',
    ],
)
def test_another_module_that_reads_it_would_be_found(source):
    assert reads_documents(source)


def test_what_is_no_reading_is_not_taken_for_one():
    for source in (
        '"""Text from document pages."""',
        "from tasks.readers import Document",
        'rows("SELECT document FROM document_words")',
    ):
        assert not reads_documents(source)


# Read again
# ----------------------------------------------------------------------------------------------------------


def test_reading_the_files_in_another_way_shows_no_text(client, shut):
    """Whatever the form says: sections that follow each other, another column as the title, all in
    one column."""
    from webapp.intake.ingest import corpora
    from webapp.service.corpora import deletion

    draft = corpora.copy_as_draft(shut.corpus)
    url = reverse("corpus_prepare", args=[draft.pk])
    shown = client.get(url).content.decode()
    assert "under embargo" in shown and longest(shown) <= embargo.PASSAGE + LETTERS
    assert "Document 0" in shown, "what it is of is said"
    for form in (
        {"text": "3", "sections": "words", "length": "20"},
        {"text": "0", "title": "3"},
        {"text": "0", "title": "", "date": "3"},
        {"delimiter": "|", "header": "on"},
    ):
        shown = client.post(
            url, {"name": "x", "language": "en", "preview": "1"} | form
        ).content.decode()
        assert longest(shown) <= embargo.PASSAGE + LETTERS, form
    deletion.delete_corpus(draft)


def test_of_a_sample_only_what_is_named_is_shown(monkeypatch):
    """Problems quote lines of texts; the owner sees them."""
    from webapp.intake.ingest import previews
    from webapp.intake.ingest.sample import Sample
    from webapp.intake.ingest.shaping import shared
    from webapp.models import Corpus

    corpus = Corpus(embargo=True, settings={})
    hidden = embargo.Withheld(frozenset({"text"}), frozenset({"date"}), False)
    secret = "a line of a text"
    sample = Sample(
        problems=(secret,),
        dates=(secret,),
        parts=secret,
        why_undated=secret,
        undated_forms=((secret, 1),),
        silent={f"{shared.PREFIXES[0]}{secret}": 0.1},
    )
    monkeypatch.setattr(embargo, "readers", lambda corpus: ("user 1",))
    assert previews.withhold(sample, corpus, hidden) == Sample()
    monkeypatch.setattr(embargo, "readers", lambda corpus: ())
    assert previews.withhold(sample, corpus, hidden) == Sample(problems=(secret,))


def read_again(shut: Run, shaping: dict | None = None, **columns) -> Run:
    """A run on the same files, read with other columns."""
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora

    draft = corpora.copy_as_draft(shut.corpus)
    reading = corpora.ReadingSettings.from_dict(draft.settings)
    reading = replace(
        reading,
        options=reading.options | columns,
        shaping=shaping or reading.shaping,
        numbers=True,
        min_length=1,
    )
    corpora.read(draft, reading)
    read_corpus(draft.pk)
    draft.refresh_from_db()
    assert draft.status == "ready", draft.error
    return run_on(draft, seed=1, topics=2, passes=1)


def walk(run: Run) -> Iterator[tuple[str, str]]:
    """What pages and files show of a corpus and a run on it: all that name documents or what is
    known of them."""
    names = [
        "corpus",
        "corpus_documents",
        "corpus_document",
        "run_document",
        "run_documents",
        "run_topic",
        "run_whole",
        "corpus_whole",
        "run_time",
        "corpus_problems",
        "run_topics",
        "run_word",
    ]
    for name in names:
        for twin in (name, f"{name}_json"):
            if twin in addresses.names():
                yield twin, get(addresses.address(twin, run.corpus_id, run.pk))[1].decode()
    yield "report", get(reverse("corpus_report", args=[run.corpus_id]))[1].decode()
    for path in (
        f"corpora/{run.corpus_id}",
        f"corpora/{run.corpus_id}/documents",
        f"corpora/{run.corpus_id}/documents/2",
        f"runs/{run.pk}/documents",
        f"runs/{run.pk}/documents/2",
    ):
        yield path, get(f"/api/v1/{path}")[1].decode()
    for form in ("documents.csv", "documents.json", "document-topics.csv", "site.zip", "dfr.zip"):
        status, body = get(reverse("export", args=[run.pk, form]))
        yield form, readable(body, form if status == 200 else "")


@pytest.fixture(
    scope="module",
    params=[
        ("under it", {"text": 0, "title": None}),
        ("before it", {"text": 0, "title": 3}),
        ("before it", {"text": 0, "id": 3}),
    ],
    ids=str,
)
def read_elsewhere(request, shut, django_db_blocker):
    """A run on the same files with another column as the text, read under the embargo or before it.
    Committed, for the exports."""

    when, columns = request.param
    with django_db_blocker.unblock():
        if when == "before it":
            Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
            shut.corpus.refresh_from_db()
        run = read_again(shut, **columns)
        if when == "before it":
            assert max(longest(body) for _, body in walk(run)) > embargo.PASSAGE + LETTERS, (
                "the walk would find a text"
            )
            set_embargo(shut.corpus, True)
            shut.corpus.refresh_from_db()
        yield Run.objects.select_related("corpus").get(pk=run.pk)


def test_what_was_text_under_an_embargo_is_shown_in_no_other_column(read_elsewhere):
    """No field, list, category, file or answer of another reading of the same files holds the old
    text."""
    assert read_elsewhere.corpus.embargo
    found = {name: longest(body) for name, body in walk(read_elsewhere)}
    assert max(found.values()) <= 2 * (LETTERS + 1), found


def test_a_part_of_another_reading_withholds_the_same(read_elsewhere):
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora

    parent = read_elsewhere.corpus
    reading = corpora.ReadingSettings(
        options=parent.settings["options"],
        numbers=True,
        min_length=1,
        min_documents=1,
        max_share=1.0,
    )
    part = corpora.create_subset(
        parent, np.arange(12), "part", reading, {"sentence": "some", "parameters": [], "run": None}
    )
    read_corpus(part.pk)
    Corpus.objects.filter(pk=part.pk).update(parent=None)  # as if that had been deleted for good
    part.refresh_from_db()
    assert part.status == "ready" and part.embargo
    for name in ("corpus_documents", "corpus_document", "corpus_document_json"):
        assert longest(
            get(addresses.address(name, part.pk, read_elsewhere.pk))[1].decode()
        ) <= 2 * (LETTERS + 1), name


def test_where_files_are_cut_in_another_way_no_field_is_shown():
    """Names of columns say nothing then: the text may stand in pieces of any of them."""
    options = {
        "delimiter": ",",
        "header": True,
        "encoding": "utf-8",
        "names": ["title", "text", "party"],
        "text": 1,
        "title": 0,
    }
    first = {"options": options, "shaping": {}}
    row = {
        "title": "A title",
        "source_id": "7",
        "metadata": json.dumps({"party": "a", "text": "t" * 1_000}),
    }

    def shown(shaping: dict | None = None, before: list | None = None, **changed) -> dict:
        settings = {
            "options": options | changed,
            "shaping": shaping or {},
            "before": before or embargo.columns_read(first),
        }
        return embargo.withheld(Corpus(embargo=True, settings=settings)).row(dict(row))

    assert shown() == row | {"metadata": '{"party": "a"}'}
    assert shown(text=2, title=None) == row | {"metadata": "{}"}, (
        "neither the old text nor the new one"
    )
    assert shown(text=2, title=1)["title"] == ""
    cut = [
        {"delimiter": "|"},
        {"header": False},
        {"sheet": "2"},
        {"encoding": "utf-16"},
        {"names": ["a", "b", "c"]},
        {"shaping": {"sections": "headings"}},
        {"shaping": {"join": ["party"]}},
        {"shaping": {"table": "a.csv", "key": "b"}},
    ]
    for other in cut:
        assert shown(**other) == {"title": "", "source_id": "", "metadata": "{}"}, other
    assert (
        shown(shaping={"sections": "words", "length": 500, "join": [], "table": ""})["title"]
        == "A title"
    )
    of_part = embargo.inherited(
        first | {"options": options | {"delimiter": "|"}, "before": embargo.columns_read(first)}
    )
    assert shown(before=of_part) == {"title": "", "source_id": "", "metadata": "{}"}
    assert shown(before=embargo.inherited(first))["title"] == "A title"
    assert embargo.withheld(Corpus(settings=first)) is None


def test_surplus_cells_of_a_row_are_no_fields():
    """They are what a separator in the text cut off it."""
    # As wide as the widest of the first rows
    names = [
        "id",
        "text",
        "party",
        "column 4",
        "column 5",
    ]
    options = {
        "delimiter": ",",
        "header": True,
        "encoding": "utf-8",
        "names": names,
        "text": 1,
        "id": 0,
    }
    metadata = {"party": "a", "column 4": "more of the text", "column 77": "and more"}

    def shown(settings: dict) -> dict:
        hidden = embargo.withheld(Corpus(embargo=True, settings=settings))
        assert hidden.may_count("column 4", ["x"]) == (
            "column 4" in hidden.metadata(metadata.items())
        )
        return json.loads(hidden.row({"metadata": json.dumps(metadata)})["metadata"])

    settings = {"options": options, "shaping": {}}
    assert shown(settings) == {"party": "a"}
    assert shown({"before": embargo.inherited(settings)}) == {"party": "a"}, "nor of a part"
    for whole in ({"surplus": True}, {"header": False}, {"delimiter": ""}):
        assert shown({"options": options | whole, "shaping": {}}) == metadata, whole
    title = embargo.withheld(
        Corpus(embargo=True, settings={"options": options | {"title": 3}, "shaping": {}})
    )
    assert title.row({"title": "more of the text"})["title"] == ""


def test_a_field_is_no_longer_than_a_passage():
    """A title, or a column beside the text, may hold all of it."""
    hidden = embargo.withheld(Corpus(embargo=True))
    long = {
        "title": "t" * 500,
        "whole": "w" * 500,
        "source_id": "i" * 500,
        "metadata": json.dumps({"abstract": "a" * 1_000}),
    }
    row = hidden.row(long)
    assert {len(row[name]) for name in ("title", "whole", "source_id")} == {embargo.PASSAGE}
    assert json.loads(row["metadata"]) == {"abstract": "a" * embargo.PASSAGE}
    assert hidden.may_count("party", ["a", "b"]) and not hidden.may_count("abstract", ["a" * 201])


def test_a_category_that_was_the_text_is_none(client, draft):
    """Its values would be texts: in facets, groups, addresses and the API."""
    from tasks.corpora import read_corpus
    from webapp.core.documents import fields
    from webapp.intake.ingest import corpora

    rows = [
        ["title", "text", "body"],
        *([f"Title {i}", "the same sentence" if i else "another", f"{i} words"] for i in range(12)),
    ]
    corpus = corpus_of(draft, rows, "same.csv", language="en", min_documents=1, max_share=1.0)
    other = corpora.copy_as_draft(corpus)
    reading = corpora.ReadingSettings.from_dict(other.settings)
    corpora.read(other, replace(reading, options=reading.options | {"text": 2}, numbers=True))
    read_corpus(other.pk)
    other = Corpus.objects.select_related("version").get(pk=other.pk)
    assert [category.name for category in fields.categories(other.version)] == ["text"]
    assert (
        "the same sentence"
        in client.get(reverse("corpus_documents", args=[other.pk])).content.decode()
    )
    set_embargo(corpus, True)
    other = Corpus.objects.select_related("version").get(pk=other.pk)
    assert fields.categories(other.version) == []
    with pytest.raises(Invalid, match="not a category"):
        document_groups.read_groups(other.version, "text")
    for url in ("", "?in=text:the+same+sentence"):
        shown = client.get(reverse("corpus_documents", args=[other.pk]) + url).content.decode()
        assert "the same sentence" not in shown.replace("text:the same sentence", "")


def test_of_a_section_no_more_than_a_quarter_is_shown(shut):
    """Lists show a passage of each document: of short sections that follow one another that would
    be the whole text."""

    run = read_again(shut, {"sections": "words", "length": 50}, title=None)
    run.corpus.refresh_from_db()
    assert run.corpus.documents == DOCUMENTS * WORDS // 50
    lengths = 50 * (LETTERS + 1)
    assert {len(text) for text in embargo.beginnings(run.corpus, range(10), 1_000).values()} <= {
        lengths // 4,
        lengths // 4 - 1,
    }
    pieces = embargo.read_pieces(run.corpus, [(3, 0, 1_000, 200), (3, 0, 1_000, 0)])
    assert all(len(piece.text) <= lengths // 4 for piece in pieces) and pieces[
        0
    ].first <= 200 < pieces[0].first + len(pieces[0].text)
    for name in ("corpus_documents", "run_documents", "run_topic"):
        for query in ("", f"?q={texts()[2][50]}"):
            assert (
                longest(get(addresses.address(name, run.corpus_id, run.pk) + query)[1].decode())
                <= lengths // 4 + LETTERS
            )


def test_files_that_are_to_be_added_are_under_the_embargo_too(client, shut):
    """Also those that came before it: what one editor uploads is not shown to another, nor to the
    owner."""
    from webapp.service.corpora import deletion

    def upload(i: int) -> Corpus:
        body = "\n".join(
            [
                "title,date,text",
                *(f"More {n},1901-01-01,{' '.join(words)}" for n, words in enumerate(texts())),
            ]
        ).encode()
        answer = client.post(
            reverse("corpus_add", args=[shut.corpus_id]),
            {"files": SimpleUploadedFile(f"{i}.csv", body)},
        )
        return Corpus.objects.get(
            pk=int(re.search(r"corpora/(\d+)/prepare", answer["Location"])[1])
        )

    during = upload(0)
    Corpus.objects.filter(pk=shut.corpus_id).update(embargo=False)
    before = upload(1)
    assert (
        longest(client.get(reverse("corpus_prepare", args=[before.pk])).content.decode())
        > embargo.PASSAGE + LETTERS
    ), "the walk would find a text"
    set_embargo(shut.corpus, True)
    for draft in (during, before):
        shown = client.get(reverse("corpus_prepare", args=[draft.pk])).content.decode()
        assert (
            "under embargo" in shown
            and "More 0" in shown
            and longest(shown) <= embargo.PASSAGE + LETTERS
        )
        deletion.delete_corpus(draft)


def test_another_reading_is_under_an_embargo_that_has_just_begun(ready):
    from webapp.intake.ingest import corpora

    before = Corpus.objects.get(pk=ready.pk)  # as the request that makes the draft has it
    embargo.set_embargo(ready, on=True)
    assert corpora.copy_as_draft(before).embargo


def test_an_embargo_reaches_the_parts_that_were_made_before(ready):
    """Whosever they are, and parts of parts, and deleted ones that can come back; and a part's
    can't be ended before its parent's."""
    from webapp.service.corpora import deletion

    def part(of: Corpus) -> Corpus:
        return Corpus.objects.create(name="part", parent=of, provenance={"parent": {"id": of.pk}})

    parent = Corpus.objects.create(name="parent")
    parts = [part(parent), part(parent)]
    parts.append(part(parts[0]))
    elsewhere = Corpus.objects.create(name="elsewhere")
    deletion.delete_corpus(parts[1])
    set_embargo(parent, True)
    assert all(
        Corpus.everything.filter(pk__in=[p.pk for p in parts]).values_list("embargo", flat=True)
    )
    assert not Corpus.objects.get(pk=elsewhere.pk).embargo
    with pytest.raises(Invalid, match="must end first"):
        set_embargo(parts[0], False)
    set_embargo(parent, False)
    assert Corpus.objects.get(pk=parts[0].pk).embargo, "each is ended by its own owner"
    set_embargo(parts[0], False)
    assert not Corpus.objects.get(pk=parts[0].pk).embargo
    Corpus.everything.filter(pk=parts[2].pk).update(parent=None)
    with pytest.raises(Invalid, match="is deleted"):
        set_embargo(parts[2], False)


def test_counts_are_rounded_as_they_were_told_before():
    """By any version of numpy: of two roundings of one count a reader would learn more of it."""
    assert draw_below_step(2026, 12).tolist() == [8, 1, 0, 6, 3, 4, 0, 3, 6, 3, 8, 7]
    drawn = draw_below_step(1, 100_001)
    assert len(drawn) == 100_001 and len(draw_below_step(1, 0)) == 0
    assert chisquare(np.bincount(drawn, minlength=COUNT_STEP)).pvalue > 1e-3
