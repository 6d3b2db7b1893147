"""What is taken away is opened here by what it is for, and says what the database says."""

import csv
import gzip
import io
import json
import os
import re
import zipfile
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync
from django.db.models import Sum
from django.http import QueryDict
from django.test import AsyncClient
from django.urls import reverse

from inference.errors import Invalid
from inference.runtime.versions import topograph
from tests.webapp import mixtures
from tests.webapp.making import corpus_of, run_on
from tests.webapp.taking import taken
from webapp.analysis.families import family_cuts
from webapp.core.curation import services as curation
from webapp.core.documents import document_days, document_groups, fields
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Document, Run, Topic, TopicWord, Word
from webapp.service.exports import deposit, mallet, sizes, tables
from webapp.service.exports.catalogue import EXPORT_KINDS, find_kind
from webapp.service.exports.export_query import read_source
from webapp.service.exports.making import describe, make_file, name_file
from webapp.service.exports.model import Model
from webapp.service.exports.table_formats import FORMATS

pytestmark = pytest.mark.django_db

TABLES = [kind.name for kind in EXPORT_KINDS.values() if kind.table]
ASKED = {"lines": "word=militia"}  # what a form needs to be told
DOCS = Path(__file__).parents[4] / "docs" / "take.md"
EVIL = [
    '=HYPERLINK("http://x")',
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "<script>alert(1)</script>",
    'a,b\n"c"',
    "'=x",
]


@pytest.mark.parametrize(
    ("years", "period", "offered"),
    [
        ((1919, 2018), "year", ["year", "decade", "month"]),
        ((1918, 2018), "year", ["year", "decade"]),  # of 1,212 months none could be shown
        ((1, 2018), "decade", ["decade"]),
        (None, None, []),
    ],
)
def test_periods_are_offered_of_which_there_are_not_too_many(monkeypatch, years, period, offered):
    days = years and (date(years[0], 1, 1), date(years[1], 12, 31))
    monkeypatch.setattr(document_days, "first_and_last", lambda version: days)
    monkeypatch.setattr(document_groups, "best_period", lambda version: period)
    monkeypatch.setattr(fields, "categories", lambda version: [])
    assert tables.groupings(SimpleNamespace(version=None)) == offered


def test_sizes_are_of_forms_that_there_are():
    assert sizes.BYTES.keys() <= {*EXPORT_KINDS, deposit.KIND.name}


def test_a_format_says_how_large_its_tables_are(trained):
    """A format that another module did not know ended the page of files with an error."""
    source = read_source(trained, QueryDict(""))
    kind = EXPORT_KINDS["words"]
    expected = {ending: sizes.expected_bytes(kind, ending, source) for ending in kind.endings}
    assert expected.keys() == FORMATS.keys()
    of_csv = trained.version.vocabulary * sizes.VOCABULARY_WORD
    assert expected == {ending: int(of_csv * FORMATS[ending].size) for ending in FORMATS}


@pytest.fixture(scope="module")
def hostile(draft, django_db_setup, django_db_blocker):
    """A run on a corpus whose titles, ids and categories try to run or to break out."""
    texts = [
        "horse cow sheep goat hen goose duck pig ",
        "comet planet orbit moon galaxy nebula eclipse meteor ",
    ]
    rows = [["id", "title", "text", "kind"]]
    rows += [
        [EVIL[i % len(EVIL)].strip() + str(i), EVIL[i % len(EVIL)], texts[i % 2] * 4, EVIL[i % 3]]
        for i in range(40)
    ]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "=cmd.csv", language="en", min_documents=1, max_share=1.0)
        yield run_on(corpus, seed=1, topics=2, passes=3)


def frame(run: Run, form: str, query: str = "") -> pandas.DataFrame:
    return pandas.DataFrame(
        json.loads(taken(run, f"{form}.json", query or ASKED.get(form, "")))["rows"]
    )


@pytest.mark.parametrize("name", ["topic", "label", "tokens"])
def test_a_field_that_is_called_like_a_column_keeps_its_values(trained, monkeypatch, name):
    groups_of = document_groups.read_groups
    category = next(iter(fields.categories(trained.version)))
    monkeypatch.setattr(
        document_groups, "read_groups", lambda version, by: groups_of(version, category.name)
    )
    rows = frame(trained, "topic-time", f"by={name}")
    table = pq.read_table(io.BytesIO(taken(trained, "topic-time.parquet", f"by={name}")))
    assert set(rows[f"{name} (field)"]) == set(groups_of(trained.version, category.name).labels)
    assert set(rows.topic) == set(range(trained.topics))
    assert len(set(table.column_names)) == len(table.column_names)


@pytest.mark.parametrize("form", TABLES)
def test_a_table_is_the_same_in_every_format(trained, form):
    curation.change(trained, 1, {"label": "=Two", "group": "g"}, "owner")
    asked = ASKED.get(form, "")
    reader = csv.DictReader(io.StringIO(taken(trained, f"{form}.csv", asked).decode()))
    rows = list(reader)
    as_json = json.loads(taken(trained, f"{form}.json", asked))
    table = pq.read_table(io.BytesIO(taken(trained, f"{form}.parquet", asked)))
    assert (
        as_json["made_by"]["seed"] == json.loads(table.schema.metadata[b"topograph"])["seed"] == 3
    )
    assert reader.fieldnames == as_json["columns"] == table.column_names
    assert len(rows) == len(as_json["rows"]) == table.num_rows
    assert rows or form == "reading"  # nobody has read anything yet
    assert table.to_pylist() == as_json["rows"]
    for row, same in zip(rows, as_json["rows"], strict=True):
        for name, cell in row.items():
            value = same[name]
            if isinstance(value, float):  # people look at CSV: it has fewer digits
                assert float(cell) == pytest.approx(value, rel=1e-8) and len(cell.lstrip("-")) <= 15
            else:
                assert cell == (
                    ""
                    if value is None
                    else (
                        f"'{value}"
                        if isinstance(value, str) and value.startswith("=")
                        else str(value)
                    )
                )


@pytest.mark.parametrize(
    ("query", "name", "asked"),
    [
        ("word=militia", "lines-militia.csv", {"word": "militia", "pattern": ""}),
        (
            "pattern=the+militia%7Carmy",
            "lines-the-militia-army.csv",
            {"pattern": "the militia|army"},
        ),
    ],
)
def test_a_file_of_lines_says_of_which_word_or_pattern(trained, query, name, asked):
    source = read_source(trained, QueryDict(query))
    assert name_file(source, *find_kind("lines.csv")).endswith(f"_{name}")
    made_by = json.loads(taken(trained, "lines.json", query))["made_by"]
    assert made_by | asked == made_by
    about = describe(source, *find_kind("lines.csv"))
    assert about.endswith(f"of “{asked.get('word') or asked['pattern']}”")


@pytest.mark.parametrize(
    ("name", "taken_documents"),
    [("documents", "documents with “war”"), ("topics-long", "all documents")],
)
def test_a_file_says_of_which_documents_it_is(trained, name, taken_documents):
    """Of all, whatever set was asked for, where its kind takes no set."""
    made_by = json.loads(taken(trained, f"{name}.json", "q=war"))["made_by"]
    assert made_by["documents taken"] == taken_documents
    about = describe(read_source(trained, QueryDict("q=war")), *find_kind(f"{name}.csv"))
    assert ("war" in about) == (name == "documents")


def test_a_file_for_mallet_is_of_all_documents_whatever_set_was_asked_for(trained):
    """As one that a worker makes, which is not told of the set."""
    file = "mallet-doc-topics.txt"
    assert taken(trained, file, "q=war") == taken(trained, file)


def test_counts_of_every_table_are_the_databases(trained):
    tokens = trained.corpus.tokens
    long = frame(trained, "topics-long")
    assert long.tokens.sum() == tokens
    stored = TopicWord.objects.filter(snapshot_id=trained.snapshot_id)
    assert long.groupby("topic").documents.sum().to_dict() == {
        row["topic"]: row["n"] for row in stored.values("topic").annotate(n=Sum("documents"))
    }
    pairs = frame(trained, "document-topics")
    assert pairs.tokens.sum() == tokens and len(pairs) == len(mixtures.rows(trained))
    assert np.allclose(pairs.groupby("document").share.sum(), 1)
    wide = frame(trained, "document-topics-wide")
    shares = wide[[f"T{k:02d}" for k in range(trained.topics)]].to_numpy()
    assert len(wide) == trained.corpus.documents and wide.tokens.sum() == tokens
    assert np.allclose(
        (shares * wide.tokens.to_numpy()[:, None]).sum(0), [t.tokens for t in topics(trained)]
    )
    assert frame(trained, "words").tokens.sum() == tokens
    assert frame(trained, "topic-measures").tokens.tolist() == [t.tokens for t in topics(trained)]
    by_year = frame(trained, "topic-time")
    assert by_year.tokens.sum() == tokens  # every document of the example has a date
    category = fields.categories(trained.version)[0].name
    assert frame(trained, "topic-time", f"by={category}").columns[0] == category


def topics(run: Run) -> list[Topic]:
    return list(Topic.objects.filter(snapshot_id=run.snapshot_id).order_by("number"))


def test_lines_of_a_word_are_its_tokens(trained):
    found = frame(trained, "lines")
    stored = Word.objects.get(version=trained.version_id, word="militia")
    assert len(found) == stored.tokens and set(found.word.str.lower()) == {"militia"}
    given = TopicWord.objects.filter(
        snapshot_id=trained.snapshot_id, word=stored.number, tokens__gt=0
    )
    assert found.topic.value_counts().to_dict() == dict(given.values_list("topic", "tokens"))
    for row in found.head(5).to_dict("records"):
        text = Document.objects.get(corpus_id=trained.corpus_id, number=row["document"]).text
        assert text[row["at"] :].startswith(row["word"])
    for wrong in ("", "word=zzzz"):
        with pytest.raises(Invalid, match="a word of the vocabulary"):
            taken(trained, "lines.csv", wrong)


def test_documents_are_named_by_all_that_identifies_them(trained):
    found = frame(trained, "documents")
    for row in found.sample(20, random_state=1).to_dict("records"):
        stored = Document.objects.get(corpus_id=trained.corpus_id, number=row["document"])
        assert (row["id"], row["title"], row["date"], row["file"], row["place"]) == (
            stored.source_id,
            stored.title,
            stored.date_text,
            stored.file,
            stored.place,
        )
        assert (
            row["sha256"] == bytes(stored.digest).hex()
            and json.loads(row["metadata"]) == stored.metadata
        )
        assert row["tokens"] == evidence.of(trained).lengths[row["document"]]


def test_a_set_of_documents_restricts_what_is_about_documents(trained):
    query = "q=militia"
    numbers = frame(trained, "documents", query).document.tolist()
    assert 0 < len(numbers) < trained.corpus.documents
    assert set(frame(trained, "document-topics", query).document) == set(numbers)
    assert frame(trained, "document-topics-wide", query).document.tolist() == numbers
    of = evidence.of(trained)
    assert frame(trained, "topic-time", query).tokens.sum() == of.lengths[numbers].sum()
    assert (
        "militia"
        in json.loads(taken(trained, "documents.json", query))["made_by"]["documents taken"]
    )
    file = make_file(read_source(trained, QueryDict(query)), *find_kind("documents.csv"))
    assert file.name.endswith("_documents-selected-militia.csv")


def test_no_cell_of_a_csv_begins_a_formula(hostile):
    for form in TABLES:
        text = taken(hostile, f"{form}.csv", "word=horse" if form == "lines" else "").decode()
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                assert not cell.startswith(("=", "@", "\t", "\r")) and not re.match(
                    r"[+-]\D", cell
                ), (form, cell)
    titles = [row["title"] for row in json.loads(taken(hostile, "documents.json"))["rows"]]
    assert titles == list(
        Document.objects.filter(corpus_id=hostile.corpus_id)
        .order_by("number")
        .values_list("title", flat=True)
    )


def download(url: str):
    async def get():
        response = await AsyncClient().get(url)
        return response, (
            b"".join([piece async for piece in response.streaming_content])
            if response.streaming
            else response.content
        )

    return async_to_sync(get)()


@pytest.mark.parametrize("name", EXPORT_KINDS)
def test_page_gives_each_file(client, trained, name):
    page = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    for ending in EXPORT_KINDS[name].endings:
        url = reverse("export", args=[trained.pk, f"{name}.{ending}"])
        assert any(
            f'{attribute}="{url}{query}"' in page
            for attribute in ("href", "formaction")
            for query in ("", "?by=year")
        )
        response, body = download(url + "?" + ASKED.get(name, ""))
        assert response.status_code == 200 and body
        assert re.search(
            rf'filename="[a-z0-9-]+_run{trained.pk}_K6_seed3_topograph{re.escape(topograph())}_{name}(-militia)?\.{ending}"',
            response["Content-Disposition"],
        )


def test_csv_for_excel_is_the_same_behind_a_byte_order_mark(client, trained):
    for form in ("documents", "topics-wide"):
        assert taken(trained, f"{form}.excel.csv") == b"\xef\xbb\xbf" + taken(
            trained, f"{form}.csv"
        )
    page = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert "documents.excel.csv" in page and ">csv for Excel</a>" in page
    assert not taken(trained, "documents.csv").startswith(b"\xef\xbb\xbf")


def test_what_is_not_there(client, trained):
    for file in ("topics-long.xls", "nothing.csv", "model.csv", "topics-long"):
        assert download(reverse("export", args=[trained.pk, file]))[0].status_code == 404
    young = Run.objects.create(
        corpus=trained.corpus, version=trained.version, settings={"topics": 3}
    )
    assert b"published no topics yet" in client.get(reverse("run_take", args=[young.pk])).content
    assert client.get(reverse("run_take_json", args=[young.pk])).json()["groups"] == []
    response = client.get(reverse("run_take", args=[trained.pk]) + "?by=nothing&has=99:1")
    assert response.status_code == 400
    with pytest.raises(Invalid, match="not a category"):
        taken(trained, "topic-time.csv", "by=nothing")
    for words in ("0", "1001", "-1", "x"):
        with pytest.raises(Invalid, match="from 1 to 1000"):
            taken(trained, "topics-wide.csv", f"words={words}")


# Other programs
# ---------------------------------------------------------------------------------------------------


def recipe(name: str, folder: Path) -> dict:
    """Run the recipe of docs/take.md as it stands there; returns its names."""
    code = re.search(
        rf"^```python {name}\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.S | re.M
    )[1]
    names: dict = {}
    here = Path.cwd()
    try:
        os.chdir(folder)
        exec(compile(code, name, "exec"), names)
    finally:
        os.chdir(here)
    return names


@pytest.fixture
def model(trained):
    return np.load(io.BytesIO(taken(trained, "model.npz")))


def test_dense_model_is_the_databases(trained, model):
    assert model["beta"].dtype == model["theta"].dtype == np.float32
    assert np.allclose(model["beta"].sum(1), 1, atol=1e-4) and np.allclose(
        model["theta"].sum(1), 1, atol=1e-5
    )
    assert model["vocabulary"].tolist() == list(
        Word.objects.filter(version=trained.version_id)
        .order_by("number")
        .values_list("word", flat=True)
    )
    for row in TopicWord.objects.filter(snapshot_id=trained.snapshot_id, rank__lt=5):
        assert model["beta"][row.topic, row.word] == np.float32(row.weight)
    of = evidence.of(trained)
    alpha = model["alpha"]
    for d in (0, 7, 399):
        counts = np.zeros(trained.topics)
        counts[of.mixtures.of_document(d)[0]] = of.mixtures.of_document(d)[1]
        assert np.allclose(
            model["theta"][d], (counts + alpha) / (of.lengths[d] + alpha.sum()), rtol=1e-5
        )
    assert json.loads(model["made_by"][0])["run"] == trained.pk


def test_sparse_model_is_the_dense_one(trained, model, tmp_path):
    (tmp_path / "model-sparse.npz").write_bytes(taken(trained, "model-sparse.npz"))
    names = recipe("sparse", tmp_path)
    m = names["m"]
    counts = names["counts"]
    beta = np.repeat(m["beta_floor"].astype(np.float32)[:, None], len(m["vocabulary"]), 1)
    for k in range(trained.topics):
        row = slice(m["beta_indptr"][k], m["beta_indptr"][k + 1])
        beta[k, m["beta_words"][row]] = m["beta_weights"][row]
    assert np.array_equal(beta, model["beta"])
    assert counts.sum() == trained.corpus.tokens and np.array_equal(counts.sum(1), m["lengths"])
    theta = (counts.toarray() + m["alpha"]) / (m["lengths"] + m["alpha"].sum())[:, None]
    assert np.allclose(theta, model["theta"], rtol=1e-5)


def clearest(run, model) -> int:
    """Of the documents with words enough the one that is most of one topic: whatever infers its
    mixture should say so."""
    return int(np.argmax(np.where(evidence.of(run).lengths >= 60, model["theta"].max(axis=1), 0)))


def test_gensim_reads_the_model(trained, model, tmp_path):
    (tmp_path / "model.npz").write_bytes(taken(trained, "model.npz"))
    lda = recipe("gensim", tmp_path)["lda"]
    assert np.allclose(lda.get_topics(), model["beta"], atol=1e-6)
    first = Topic.objects.get(snapshot_id=trained.snapshot_id, number=2)
    assert [word for word, _ in lda.show_topic(first.number, 5)] == model["vocabulary"][
        np.argsort(-model["beta"][2])[:5]
    ].tolist()
    bow = evidence.of(trained).document_bow
    d = clearest(trained, model)
    row = slice(bow.indptr[d], bow.indptr[d + 1])
    mixture = dict(lda[list(zip(bow.words[row].tolist(), bow.counts[row].tolist(), strict=True))])
    assert max(mixture, key=mixture.get) == model["theta"][d].argmax()


def test_scikit_learn_reads_the_model(trained, model, tmp_path):
    (tmp_path / "model.npz").write_bytes(taken(trained, "model.npz"))
    names = recipe("scikit-learn", tmp_path)
    d = clearest(trained, model)
    text = Document.objects.get(corpus_id=trained.corpus_id, number=d).text
    mixture = names["lda"].transform(names["words"].transform([text]))[0]
    assert mixture.argmax() == model["theta"][d].argmax() and np.allclose(mixture.sum(), 1)


# PyLDAvis leaves the file that it writes open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_pyldavis_reads_its_json(trained, tmp_path):
    data = json.loads(taken(trained, "ldavis.json"))
    (tmp_path / "ldavis.json").write_text(json.dumps(data))
    prepared = recipe("pyldavis", tmp_path)["prepared"]
    page = (tmp_path / "topics.html").read_text()
    assert "LDAvis" in page and '"Topic0"' in page
    assert data["mdsDat"]["topics"] == data["topic.order"] == list(range(trained.topics))
    assert sum(data["mdsDat"]["Freq"]) == pytest.approx(100)
    for k in range(trained.topics):
        # With lambda = 1 relevance is the weight, so the viewer lists what the topic's own page
        # does, with the same counts.
        shown = prepared.sorted_terms(topic=k, _lambda=1).head(20)
        stored = list(
            TopicWord.objects.filter(snapshot_id=trained.snapshot_id, topic=k).order_by("rank")[:20]
        )
        words = dict(Word.objects.filter(version=trained.version_id).values_list("number", "word"))
        assert (
            set(shown.Term) == {words[row.word] for row in stored if row.tokens}
            or len(set(shown.Term)) == 20
        )
        tokens = {
            words[row.word]: row.tokens
            for row in TopicWord.objects.filter(snapshot_id=trained.snapshot_id, topic=k)
        }
        assert all(tokens[term] == n for term, n in zip(shown.Term, shown.Freq, strict=True))
    table = pandas.DataFrame(data["token.table"])
    assert np.allclose(table.groupby("Term").Freq.sum(), 1)
    assert set(data) - {"made_by"} == set(prepared.to_dict())


def refuse_constant(name: str):
    raise ValueError(f"{name} is no JSON")


def test_files_of_viewers_are_read_where_a_topic_is_not_in_use(trained):
    """It has no place on the map."""
    topics = Topic.objects.filter(snapshot=trained.snapshot_id, number=1)
    topics.update(x=None, y=None, used=False)
    viewer = json.loads(taken(trained, "ldavis.json"), parse_constant=refuse_constant)
    assert len(viewer["mdsDat"]["x"]) == trained.topics and viewer["mdsDat"]["x"][1] == 0
    archive = zipfile.ZipFile(io.BytesIO(taken(trained, "dfr-browser.zip")))
    places = np.loadtxt(io.BytesIO(archive.read("data/topic_scaled.csv")), delimiter=",")
    assert places.shape == (trained.topics, 2) and np.isfinite(places).all()


def test_mallet_files_are_mallets(trained):
    names = [
        row.split("\t") for row in taken(trained, "mallet-topic-keys.txt").decode().splitlines()
    ]
    assert [int(row[0]) for row in names] == list(range(trained.topics))
    assert all(
        len(row) == 3 and row[2].endswith(" ") and len(row[2].split()) == 20 for row in names
    )
    state = gzip.decompress(taken(trained, "mallet-state.gz")).decode().splitlines()
    assert (
        state[0] == "#doc source pos typeindex type topic"
        and state[1].startswith("#alpha : ")
        and state[2].startswith("#beta : ")
    )
    tokens = [line.split(" ") for line in state[3:]]
    assert len(tokens) == trained.corpus.tokens and all(len(t) == 6 for t in tokens)
    counts = np.zeros((trained.corpus.documents, trained.topics), int)
    for d, _, _, _, _, k in tokens:
        counts[int(d), int(k)] += 1
    assert {(d, k): n for d, k, n, _ in mixtures.rows(trained)} == {
        (d, k): n for (d, k), n in np.ndenumerate(counts) if n
    }
    text = Document.objects.get(corpus_id=trained.corpus_id, number=0).text.lower()
    at = 0
    for word in (t[4] for t in tokens if t[0] == "0"):  # in the order of the text
        at = text.index(word, at) + 1
    rows = [
        line.split("\t") for line in taken(trained, "mallet-doc-topics.txt").decode().splitlines()
    ]
    alpha = np.array(state[1].removeprefix("#alpha : ").split(), float)
    shares = np.array([row[2:] for row in rows], float)
    assert np.allclose(
        shares, (counts + alpha) / (counts.sum(1) + alpha.sum())[:, None], rtol=1e-12
    )
    weights = [
        line.split("\t")
        for line in taken(trained, "mallet-topic-word-weights.txt").decode().splitlines()
    ]
    assert len(weights) == trained.topics * trained.corpus.vocabulary
    eta = float(state[2].removeprefix("#beta : "))
    assert sum(float(w) - eta for _, _, w in weights) == pytest.approx(trained.corpus.tokens)


def test_phrases_are_single_words_of_mallets(trained, monkeypatch):
    words = [f"new {word}" for word in Model(trained).vocabulary]
    monkeypatch.setattr(Model, "vocabulary", words)
    keys = taken(trained, "mallet-topic-keys.txt").decode().splitlines()
    assert all(len(row.split("\t")[2].split()) == 20 for row in keys)
    state = gzip.decompress(taken(trained, "mallet-state.gz")).decode().splitlines()
    in_state = {line.split(" ")[4] for line in state[3:] if len(line.split(" ")) == 6}
    weights = taken(trained, "mallet-topic-word-weights.txt").decode().splitlines()
    assert in_state == {line.split("\t")[1] for line in weights}
    assert in_state == {word.replace(" ", "_") for word in words}


def test_dfr_browsers_own_script_reads_mallets_state(trained):
    """What its bin/prepare-data does with a state: six fields a line, topics from 0, alpha behind a
    colon."""
    lines = gzip.decompress(taken(trained, "mallet-state.gz")).splitlines()
    assert len(list(map(float, lines[1].strip().split(b" ")[2:]))) == trained.topics
    assert all(len(line.strip().split()) == 6 for line in lines[3:])


@pytest.mark.parametrize(
    ("number", "java"),
    [
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (1.5, "1.5"),
        (0.00012345, "1.2345E-4"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
        (0.0, "0.0"),
        (100.0, "100.0"),
        (2.5e-9, "2.5E-9"),
        (9999999.0, "9999999.0"),
    ],
)
def test_numbers_are_javas(number, java):
    assert mallet.java(number) == java


@pytest.mark.parametrize(
    ("number", "short"),
    [(0.1, "0.1"), (1234.5, "1,234.5"), (0.0833333, "0.08333"), (5.0, "5"), (1e-7, "0")],
)
def test_alphas_are_written_as_mallet_does(number, short):
    assert mallet.short(number) == short


def test_dfr_browser_reads_its_folder(trained):
    curation.change_many(trained, {0: {"label": "<b>War"}, 4: {"hidden": "1"}}, "owner")
    archive = zipfile.ZipFile(io.BytesIO(taken(trained, "dfr-browser.zip")))
    assert archive.testzip() is None and "seed: 3" in archive.read("README.txt").decode()
    info = json.loads(archive.read("data/info.json"))
    assert info["topic_labels"]["1"] == "&lt;b&gt;War (T00)" and info["VIS"]["hidden_topics"] == [5]
    tw = json.loads(archive.read("data/tw.json"))
    assert len(tw["alpha"]) == len(tw["tw"]) == trained.topics
    assert all(
        t["weights"] == sorted(t["weights"], reverse=True) and len(t["words"]) == 50
        for t in tw["tw"]
    )
    dt = json.loads(zipfile.ZipFile(io.BytesIO(archive.read("data/dt.json.zip"))).read("dt.json"))
    given = {
        (dt["i"][j], k): dt["x"][j]
        for k in range(trained.topics)
        for j in range(dt["p"][k], dt["p"][k + 1])
    }
    assert given == {(d, k): n for d, k, n, _ in mixtures.rows(trained)}
    meta = zipfile.ZipFile(io.BytesIO(archive.read("data/meta.csv.zip"))).read("meta.csv").decode()
    rows = list(csv.reader(io.StringIO(meta)))
    assert len(rows) == trained.corpus.documents and all(len(row) == 8 for row in rows)
    third = Document.objects.get(corpus_id=trained.corpus_id, number=3)
    assert (rows[3][0], rows[3][6]) == (third.source_id, third.date.isoformat())
    assert info["VIS"]["condition"]["type"] == "time"
    assert len(archive.read("data/topic_scaled.csv").decode().split()) == trained.topics


def test_dfr_browser_is_given_no_markup(hostile):
    archive = zipfile.ZipFile(io.BytesIO(taken(hostile, "dfr-browser.zip")))
    meta = zipfile.ZipFile(io.BytesIO(archive.read("data/meta.csv.zip"))).read("meta.csv").decode()
    assert "<script" not in meta and "&lt;script" in meta
    info = json.loads(archive.read("data/info.json"))
    assert info["VIS"]["condition"]["type"] == "ordinal"  # no dates


# Methods
# ----------------------------------------------------------------------------------------------------------


def test_methods_say_how_the_run_was_made(client, trained):
    page = client.get(reverse("run_methods_json", args=[trained.pk])).json()
    text = " ".join(page["paragraphs"])
    corpus = trained.corpus
    for fact in (
        f"{corpus.documents:,} documents",
        f"{corpus.tokens:,} words",
        corpus.version.report["digest"],
        "6 topics",
        "random seed 3",
        "English stop words",
        f"η = {trained.settings['eta']:g}",
        "fewer than 3 documents",
        trained.versions["numpy"],
        "400 documents, dated from 1790",
    ):
        assert fact in text, fact
    assert "by hand" not in text and "None" not in text
    curation.change_many(
        trained, {0: {"label": "War"}, 1: {"label": "Peace"}, 2: {"hidden": "1"}}, "owner"
    )
    said = client.get(reverse("run_methods", args=[trained.pk])).content.decode()
    assert "2 were labelled and 1 was set aside as junk by hand" in said


def test_each_work_that_is_named_is_in_the_bibliography(client, trained):
    data = client.get(reverse("run_methods_json", args=[trained.pk])).json()
    text = " ".join(data["paragraphs"])
    bib = client.get(reverse("run_bib", args=[trained.pk]))
    assert (
        bib["Content-Disposition"].endswith('_methods.bib"')
        and bib.content.decode() == data["bibtex"]
    )
    entries = re.findall(
        r"@\w+\{(\w+),\n  author = \{(\w+)[^\n]*\n(?:.*\n)*?  year = \{(\d+)\}", data["bibtex"]
    )
    named = {
        (name, year)
        for name, year in re.findall(
            r"(\w+)(?:,? [\w ]*?(?:and \w+|et al\.))? ((?:19|20)\d\d)[),;]", text
        )
    }
    assert len(entries) >= 9
    years = {(author, year) for _, author, year in entries}
    assert {year for _, year in named} <= {year for _, year in years}
    for _, author, year in entries:
        if author != "Sievert":  # for those who take LDAvis's file
            assert re.search(rf"{author}[^()]*{year}", text), (author, year)
    assert data["bibtex"].count("{") == data["bibtex"].count("}")


def test_families_add_up_and_their_documents_are_a_union(trained):
    counted = evidence.of(trained)
    for number in (2, 4):
        table = frame(trained, "families", f"families={number}&from=1795")
        mask = Selection.read(QueryDict("from=1795"), RunView(trained)).mask
        assert table.family.nunique() == number and table.topic.is_unique
        for _, rows in table.groupby("family"):
            held = sum(counted.mixtures.tokens_held([k]) for k in rows.topic)[mask]
            assert {*rows.family_tokens} == {rows.tokens.sum()} == {held.sum()}
            assert {*rows.family_documents} == {np.count_nonzero(held)}
            assert rows.family_share.iloc[0] == pytest.approx(rows.share.sum())


def test_every_page_the_api_and_the_export_have_the_same_families(client, trained):
    first, second = family_cuts.cut(RunView(trained), 2).families[0].topics[:2]
    for values in (
        {first: {"hidden": "1"}},
        {second: {"into": str(first)}},
        {first: {"group": "Mine"}},
    ):
        curation.change_many(trained, values, "me")
    for query in ({"families": 3}, {"families": 4, "from": "1795"}, {"families": 20, "to": "1799"}):
        table = frame(
            trained, "families", "&".join(f"{name}={value}" for name, value in query.items())
        )
        exported = {
            (
                row.family_name,
                row.family_tokens,
                row.family_documents,
                round(row.family_share, 9),
                row.family_phrases,
            )
            for row in table.fillna("").itertuples()
        }
        assert table.groupby("family").family_tokens.first().sum() == table.tokens.sum()
        assert table.hidden[table.topic == first].item() == 1 and second not in set(table.topic)

        def same(family):
            return (
                family["name"],
                family["tokens"],
                family["documents"],
                round(family["share"], 9),
                "; ".join(family["phrases"]),
            )

        findings = (
            client.get(reverse("run_overview_json", args=[trained.pk]), query),
            client.get(f"/api/v1/runs/{trained.pk}/findings", query),
        )
        for answer in findings:
            assert {same(row["family"]) for row in answer.json()["findings"] if row["family"]} == {
                row for row in exported if row[1]
            }
        listed = (
            client.get(reverse("run_topics_json", args=[trained.pk]), query | {"hidden": "1"}),
            client.get(f"/api/v1/runs/{trained.pk}/topics", query | {"hidden": "true"}),
        )
        for answer in listed:
            rows = [row for row in answer.json()["items"] if row["family"]]
            assert {same(row["family"]) for row in rows} == exported
            assert {row["number"]: row["tokens"] for row in rows} == dict(
                zip(table.topic, table.tokens, strict=True)
            )
    assert any(row[-1] for row in exported)
    phrases = {
        phrase["text"]
        for k in table.topic
        for phrase in client.get(reverse("run_topic_json", args=[trained.pk, k])).json()["phrases"]
    }
    shown = [text for row in exported if row[-1] for text in row[-1].split("; ")]
    assert phrases and len(phrases & set(shown)) > len(shown) / 2, "they are those of its topics"


def test_tables_of_pages_say_the_version_of_the_program(client, trained):
    """In their names: a spreadsheet has no other place that would bear it."""
    addresses = [
        reverse("run_time_csv", args=[trained.pk]) + "?by=year&topics=1",
        reverse("corpus_report", args=[trained.corpus_id]),
    ]
    for address in addresses:
        answer = client.get(address)
        name = answer["Content-Disposition"]
        # Its file alone: answer.close() would end the test's connection to the database, too
        for close in answer._resource_closers:
            close()
        assert f"topograph{topograph()}" in name and '.csv"' in name, (address, name)


def test_a_kind_that_takes_no_set_is_as_large_as_of_all_documents(trained):
    """Its file is of all of them, and a worker makes it where that is much."""
    kind, ending = find_kind("site-texts.zip")
    whole, part = (read_source(trained, QueryDict(query)) for query in ("", "from=1795"))
    assert part.selection.count < whole.selection.count
    assert sizes.expected_bytes(kind, ending, part) == sizes.expected_bytes(kind, ending, whole)
