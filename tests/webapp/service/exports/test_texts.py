"""Texts as files: each is opened by what it is for, and holds what the database has, to the last
character and token."""

import csv
import io
import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from django.http import QueryDict

from inference.errors import Invalid
from tests.webapp.taking import taken
from webapp.core.documents import fields, texts as marked_texts, wording
from webapp.core.documents.texts import Word
from webapp.core.results import evidence
from webapp.core.results.labels import read as read_labels
from webapp.intake.file_formats import dispatch
from webapp.intake.file_formats.base import Document as ReadDocument, Options
from webapp.intake.file_formats.companions import Companions
from webapp.models import Document, Run
from webapp.service.exports import conllu, table_formats, texts
from webapp.service.exports.export_query import read_source

pytestmark = pytest.mark.django_db

UNESCAPED = {r"\s": " ", r"\t": "\t", r"\r": "\r", r"\n": "\n", r"\p": "|", "\\\\": "\\"}
TEI = "{http://www.tei-c.org/ns/1.0}"


def stored(run: Run) -> dict[int, Document]:
    documents = Document.objects.filter(corpus=run.corpus_id).order_by("number")
    return {document.number: document for document in documents}


def read_back(content: bytes, name: str, folder: Path) -> list[ReadDocument]:
    """What an upload of the file would bring."""
    path = folder / name
    path.write_bytes(content)
    companions = Companions.among([])
    pieces = list(dispatch.read(path, name, Options(), lambda _: None, companions))
    return [piece for piece in pieces if isinstance(piece, ReadDocument)]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def topics_of(run: Run) -> Counter:
    """Tokens of each topic, as readers fold them."""
    into = read_labels(run).into
    counted = evidence.of(run)
    tokens: Counter = Counter()
    for number in range(run.version.documents):
        for topic, count in zip(
            *(a.tolist() for a in counted.mixtures.of_document(number)), strict=True
        ):
            tokens[int(into[topic])] += count
    return tokens


def test_the_table_with_texts_has_each_whole_text_of_a_set(trained):
    query = "q=militia"
    rows = list(
        csv.DictReader(io.StringIO(taken(trained, "documents-with-texts.csv", query).decode()))
    )
    plain = csv.DictReader(io.StringIO(taken(trained, "documents.csv", query).decode()))
    documents = stored(trained)
    assert 0 < len(rows) < len(documents)
    for row, row_without_text in zip(rows, plain, strict=True):
        document = documents[int(row["document"])]
        assert row.pop("text") == document.text
        assert row.pop("party") == document.metadata["party"], "each field is a column"
        assert json.loads(row_without_text.pop("metadata"))["party"] == document.metadata["party"]
        assert row_without_text.items() <= row.items()


def test_the_table_with_texts_holds_few_texts_at_once(trained, monkeypatch):
    read_at_once = []
    monkeypatch.setattr(texts, "TEXTS_IN_BLOCK", 7)
    read_texts = texts.texts_of
    monkeypatch.setattr(
        texts,
        "texts_of",
        lambda corpus, numbers: read_at_once.append(len(numbers)) or read_texts(corpus, numbers),
    )
    taken(trained, "documents-with-texts.csv")
    assert max(read_at_once) == 7 and sum(read_at_once) == trained.corpus.documents


def test_a_parquet_file_compresses_fewer_rows_together_where_they_are_long(trained, monkeypatch):
    monkeypatch.setattr(texts, "TEXTS_IN_BLOCK", 2)
    monkeypatch.setattr(table_formats, "GROUP_CHARACTERS", 1)
    file = pq.ParquetFile(io.BytesIO(taken(trained, "documents-with-texts.parquet")))
    assert file.num_row_groups >= trained.corpus.documents // 2
    assert file.read()["text"].to_pylist()[0] == stored(trained)[0].text


def test_the_table_with_texts_is_refused_under_embargo(trained):
    run = Run.objects.get(pk=trained.pk)  # `trained` itself is of all tests
    run.corpus.embargo = True
    with pytest.raises(Invalid, match="under embargo"):
        taken(run, "documents-with-texts.csv")


def test_a_folder_has_every_text_and_a_table_that_names_it(trained):
    archive = zipfile.ZipFile(io.BytesIO(taken(trained, "texts.zip")))
    rows = list(csv.DictReader(io.StringIO(archive.read("documents.csv").decode(), newline="")))
    documents = stored(trained)
    assert len(rows) == len(documents)
    for number, row in enumerate(rows):
        document = documents[number]
        assert archive.read(row["file"]).decode() == document.text
        assert (row["id"], row["title"], row["date"]) == (
            document.source_id,
            document.title,
            document.date_text,
        )
        assert row["party"] == document.metadata["party"]
    assert "seed: 3" in archive.read("README.txt").decode()


def test_a_folder_of_too_many_files_is_refused(trained, monkeypatch):
    monkeypatch.setattr(texts, "MOST_FILES", 10)
    with pytest.raises(Invalid, match="at most 10 files"):
        taken(trained, "texts.zip")


def sentences_of(content: str) -> dict[str, list[list[list[str]]]]:
    """id of a document -> sentences -> words -> columns."""
    documents: dict[str, list[list[list[str]]]] = {}
    sentence: list[list[str]] = []
    for line in content.split("\n"):
        if line.startswith("# newdoc id = "):
            current = documents.setdefault(line.removeprefix("# newdoc id = "), [])
        elif line and not line.startswith("#"):
            sentence.append(line.split("\t"))
        elif sentence:
            current.append(sentence)
            sentence = []
    return documents


def put_together(sentences: list[list[list[str]]]) -> str:
    """The text that the words and their white space make."""
    pieces = []
    for columns in (columns for sentence in sentences for columns in sentence):
        pieces.append(columns[1])
        space = " "
        for note in columns[9].split("|"):
            if note == "SpaceAfter=No":
                space = ""
            elif note.startswith("SpacesAfter="):
                escaped = note.removeprefix("SpacesAfter=")
                space = re.sub(r"\\.", lambda match: UNESCAPED[match[0]], escaped)
        pieces.append(space)
    return "".join(pieces)


def test_conllu_has_every_character_and_the_topic_of_every_token(trained):
    content = taken(trained, "texts-conllu.conllu").decode()
    by_id = sentences_of(content)
    documents = stored(trained)
    assert len(by_id) == len(documents)
    for document in documents.values():
        name = document.source_id or str(document.number)
        assert put_together(by_id[name]).strip() == document.text.strip()
    for columns in (row for sentences in by_id.values() for row in sentences[0]):
        assert len(columns) == 10 and columns[2:9] == ["_"] * 7


def test_no_two_sentences_have_one_id_where_documents_have(trained):
    """As the sections of a long text do."""
    Document.objects.filter(corpus=trained.corpus_id, number__lt=10).update(source_id="A speech")
    lines = taken(trained, "texts-conllu.conllu").decode().split("\n")
    ids = [line for line in lines if line.startswith("# sent_id = ")]
    assert ids[0] == "# sent_id = d0-1" and len(set(ids)) == len(ids)
    assert lines.count("# newdoc id = A speech") == 10


def test_texts_are_cut_into_words_together_as_they_are_one_by_one(trained, monkeypatch):
    """To prepare the cutting takes longer than to cut: once for each text it took a minute."""
    real = wording.stops
    cut: list[int] = []

    def stops(version, texts, positions):
        cut.append(len(texts))
        return real(version, texts, positions)

    monkeypatch.setattr(wording, "stops", stops)
    source = read_source(trained, QueryDict())
    together = list(texts.documents_in_words(source))
    count = trained.version.documents
    assert sum(cut) == count == len(together) and len(cut) < count / 10
    view = source.selection.view
    for document, words in together:
        assigned = marked_texts.tokens(view, document.number)
        assert words == marked_texts.words(trained, assigned, document.text, 0)


def test_every_phrase_and_word_that_counts_names_its_topic_in_tei(trained):
    root = ElementTree.fromstring(taken(trained, "texts-tei.xml"))
    named = Counter(
        int(element.get("ana").removeprefix("#T"))
        for element in root.iter()
        if element.tag in (TEI + "w", TEI + "phr")
    )
    assert named == topics_of(trained)
    bodies = root.iter(TEI + "body")
    for body, document in zip(bodies, stored(trained).values(), strict=True):
        assert squeezed("".join(body.itertext())) == squeezed(document.text)
    categories = [
        category.get("{http://www.w3.org/XML/1998/namespace}id")
        for category in root.iter(TEI + "category")
    ]
    assert categories == [f"T{k:02d}" for k in range(trained.topics)]


@pytest.mark.parametrize("file", ["texts-conllu.conllu", "texts-tei.xml"])
def test_what_is_taken_away_can_be_uploaded_again(trained, file, tmp_path):
    party = fields.categories(trained.version)[-1]
    value = party.values[0]
    content = taken(trained, file, urlencode({"in": f"{party.name}:{value}"}))
    texts_of_party = {
        squeezed(document.text)
        for document in stored(trained).values()
        if document.metadata[party.name] == value
    }
    again = read_back(content, file.replace("texts-", "party."), tmp_path)
    assert {squeezed(document.text) for document in again} == texts_of_party
    assert len(again) == len(texts_of_party) > 3


def test_sentences_end_where_a_reader_would_end_them():
    text = "Mr. J. Smith came. “Who?” he asked. No. 5 was sold…\n\nA heading\n\nThen 3.5 more"
    tokens = conllu.tokenise([Word(text, 0)])
    spans = [text[s[0].start : s[-1].end] for s in conllu.sentences(tokens, text)]
    assert spans == [
        "Mr.",  # abbreviations are not known
        "J. Smith came.",
        "“Who?” he asked.",
        "No.",
        "5 was sold…",
        "A heading",
        "Then 3.5 more",
    ]
    chinese = "他来了。她走了！"
    tokens = conllu.tokenise([Word(chinese, 0)])
    assert len(list(conllu.sentences(tokens, chinese))) == 2


def test_what_xml_and_conllu_have_no_place_for(trained):
    assert "&lt;b&gt; &amp; \ufffd" in tei_text("<b> & \x01")


def tei_text(text: str) -> str:
    from webapp.service.exports import tei

    return tei.escape_text(text)
