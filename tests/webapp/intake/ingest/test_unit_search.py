"""The unit of a version is found while it is read, whatever became of the column, and once in
versions of an older program."""

import io
import shutil
import zipfile
from dataclasses import asdict

import numpy as np
import pytest

from tasks.corpora import read_corpus
from tests.corpora import as_csv
from webapp.core.documents import corpus_unit, unit_sentences
from webapp.intake.ingest import corpora, guesses, unit_search
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.models import Version
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db
SPEAKERS = 12
NAMES = "Adams Baker Clark Davis Evans Frank Ghosh Hills Irwin Jones Klein Lopez".split()
WORDS = [f"{first}{last}" for first in "bdfgklmn" for last in ("ara", "eno", "ilu", "oma", "usi")]


def texts() -> list[str]:
    """Of 240 documents by twelve speakers in turn, each with words that are often theirs."""
    chance = np.random.default_rng(1)
    own = [np.random.default_rng(speaker).permutation(WORDS)[:8] for speaker in range(SPEAKERS)]
    return [
        " ".join([*chance.choice(own[i % SPEAKERS], 12), *chance.choice(WORDS, 18)])
        for i in range(240)
    ]


def read(draft, columns: dict[str, list[str]], **roles) -> Version:
    """A table that is read with these columns in some roles (file_formats.Options)."""
    rows = zip(*columns.values(), texts(), strict=True)
    return read_file(draft, as_csv([[*columns, "text"], *map(list, rows)]), "table.csv", **roles)


def read_file(draft, content: bytes, name: str, **roles) -> Version:
    corpus = draft(content, name)
    options = asdict(guesses.sniff(corpus).options) | roles
    settings = ReadingSettings(options=options, language="en", min_documents=1, max_share=1.0)
    corpora.read(corpus, settings)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    return corpus.version


def speakers(form: str) -> list[str]:
    return [form.format(name=NAMES[i % SPEAKERS], i=i) for i in range(240)]


def unit(version: Version) -> corpus_unit.Unit:
    return corpus_unit.unit_of(Version.objects.select_related("corpus").get(pk=version.pk))


def test_a_category_is_found_with_its_codes(draft):
    version = read(draft, {"who": speakers("{name}"), "number": speakers("10{i}")})
    found = unit(version)
    assert (found.name, found.field.values) == ("who", SPEAKERS)
    assert found.field.effect > 1.5
    codes = corpus_unit.codes(version, found.field)
    assert len(np.unique(codes)) == SPEAKERS
    assert all(len(set(codes[i::SPEAKERS].tolist())) == 1 for i in range(SPEAKERS))


def test_a_numbered_title_and_an_id_are_looked_at(draft):
    titled = read(draft, {"title": speakers("{name} {i}")}, title=0, text=1)
    assert unit(titled).name == "title without its last number"
    assert set(unit(titled).field.examples) <= set(NAMES)
    assert len(unit(titled).field.examples) == 2
    numbered = read(draft, {"key": speakers("{name}-{i}")}, title=None, id=0, text=1)
    assert unit(numbered).name == "key without its last number"


def test_aliases_are_one_field(draft):
    places = {name: f"4{place}1" for place, name in enumerate(NAMES)}
    accounts = [places[name] for name in speakers("{name}")]
    version = read(draft, {"account": accounts, "handle": speakers("{name}")})
    found = unit(version)
    assert (found.name, found.field.aliases) == ("handle", ("account",))


def test_names_of_files_are_looked_at_by_place(draft):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for i, text in enumerate(texts()):
            archive.writestr(f"all/{i % 28 + 1}Apr2006{NAMES[i % SPEAKERS]}{i}.txt", text)
    version = read_file(draft, packed.getvalue(), "speeches.zip")
    assert unit(version).name == "file, word 2"


def test_a_version_of_an_older_program_is_looked_at_in_the_background(draft):
    version = read(draft, {"who": speakers("{name}")})
    shutil.rmtree(files.version_folder(version.pk) / "units")
    Version.objects.filter(pk=version.pk).update(unit_fields=None)
    assert unit(version).field is None
    unit_search.find_for(version.pk)
    assert unit(version).name == "who"


def test_where_nobody_has_looked_an_answer_holds(draft):
    version = read(draft, {"who": speakers("{name}")})
    Version.objects.filter(pk=version.pk).update(unit_fields=None)
    version.refresh_from_db()
    corpus_unit.choose(version.corpus, "who")
    found = unit(version)
    assert (found.name, found.certainty) == ("who", "answered")
    assert len(np.unique(corpus_unit.codes(version, found.field))) == SPEAKERS


def test_answers_by_units_of_an_older_search_are_not_taken_for_those_of_a_newer(draft):
    """Both have the same name and sentence, and may have other codes."""
    version = read(draft, {"who": speakers("{name}")})
    corpus_unit.choose(version.corpus, "who")
    older = version.unit_fields | {"method": unit_search.METHOD - 1}
    Version.objects.filter(pk=version.pk).update(unit_fields=older)
    before = unit(version)
    unit_search.find_for(version.pk)
    after = unit(version)
    assert (before.name, before.said) == (after.name, after.said)
    assert before.key != after.key


def test_a_mistake_in_the_search_leaves_a_corpus_that_says_so(draft, monkeypatch, caplog):
    """The corpus is read, each text counts for itself, a person may still say who speaks, and the
    log has the error."""

    def broken(*given):
        raise IndexError("not a column")

    monkeypatch.setattr(unit_search.collection_unit, "find", broken)
    version = read(draft, {"who": speakers("{name}")})
    assert version.status == Version.Status.READY
    assert "unit could not be looked for" in caplog.text and "not a column" in caplog.text
    found = unit(version)
    assert found.field is None
    assert "could not find out" in unit_sentences.of_version(version).sentence
    unit_search.find_for(version.pk)  # nobody tries again and again
    corpus_unit.choose(version.corpus, "who")
    assert unit(version).name == "who"
    assert len(np.unique(corpus_unit.codes(version, unit(version).field))) == SPEAKERS
