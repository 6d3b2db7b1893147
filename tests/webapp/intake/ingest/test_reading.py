"""A corpus is read once: whatever ends an attempt, whatever is added or chosen later."""

import gzip
import json
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from inference.bow import Bow
from inference.errors import Invalid
from inference.text.stream import Stream, Writer
from tasks.corpora import choose, read_corpus, renew as renew_corpus
from tests.corpora import as_csv, example_rows
from tests.inference.text import old_streams
from tests.sweeping import STALE, sweep_for
from webapp.core.documents import document_days, fields, search
from webapp.core.results import evidence
from webapp.intake.ingest import corpora, guesses, read_files, sources, versions
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.intake.ingest.shaping import Shaping
from webapp.models import Corpus, Document, Version, Word
from webapp.platform.jobs import claims, dispatch, events, kinds, scheduler
from webapp.platform.storage import files
from webapp.service.corpora import deletion
from webapp.service.operations.upkeep import tidy

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = 120


def queued(make, content: bytes, name: str = "a.csv", **words) -> Corpus:
    corpus = make(content, name)
    options = asdict(guesses.sniff(corpus).options)
    corpora.read(
        corpus,
        corpora.ReadingSettings(options=options, **{"language": "en", "min_documents": 2} | words),
    )
    return corpus


def read(corpus: Corpus) -> Corpus:
    read_corpus(corpus.pk)
    return Corpus.objects.select_related("version").get(pk=corpus.pk)


def rows(corpus: Corpus) -> list[tuple]:
    columns = ("number", "source_id", "title", "date", "text", "words", "file", "place")
    return list(
        Document.objects.filter(corpus_id=corpus.pk).order_by("number").values_list(*columns)
    )


def words(version: Version) -> list[tuple]:
    return list(
        Word.objects.filter(version=version)
        .order_by("number")
        .values_list("word", "tokens", "documents")
    )


def report(corpus: Corpus) -> bytes:
    return (files.corpus_folder(corpus.pk) / "report.csv").read_bytes()


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(read_files, "CHUNK_CHARACTERS", 20_000)


def damaged() -> bytes:
    found = example_rows(ROWS)
    found[9][5] = ""
    found[70] = ["short"]
    return as_csv(found)


whole_copy = read_files.ReadAttempt.copy_rows


@contextmanager
def killed_when_rows_are_copied(monkeypatch):
    """What reads within is killed when the rows of its first chunk are copied."""

    def killed(self, partition, chunk):
        whole_copy(self, partition, chunk)
        raise KeyboardInterrupt  # no handler of ours sees it, as none sees a kill

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(read_files.ReadAttempt, "copy_rows", killed)
        yield


@pytest.mark.parametrize(
    ("stage", "shaping"),
    [
        ("write_words", {}),
        ("copy_rows", {}),
        ("copy_rows", {"sections": "words", "length": 300}),
        ("copy_rows", {"sections": "words", "length": 300, "join": ("party",), "period": "year"}),
    ],
)
def test_an_attempt_goes_on_where_another_was_killed(
    draft, small_chunks, monkeypatch, stage, shaping
):
    shaped = asdict(Shaping(**shaping))
    undisturbed = read(queued(draft, damaged(), shaping=shaped))
    corpus, done, whole = (
        queued(draft, damaged(), shaping=shaped),
        [],
        getattr(read_files.ReadAttempt, stage),
    )
    of = undisturbed.documents
    assert of == ROWS - 2 or shaping

    def killed(self, *arguments):
        if len(done) == 4:
            raise KeyboardInterrupt  # no handler of ours sees it, as none sees a kill
        done.append(1)
        return whole(self, *arguments)

    monkeypatch.setattr(read_files.ReadAttempt, stage, killed)
    with pytest.raises(KeyboardInterrupt):
        read_corpus(corpus.pk)
    monkeypatch.setattr(read_files.ReadAttempt, stage, whole)
    kept = Corpus.objects.get(pk=corpus.pk).progress["documents"]
    assert 0 < kept < of
    Corpus.objects.filter(pk=corpus.pk).update(status="queued")
    copied = []
    monkeypatch.setattr(
        read_files.ReadAttempt,
        "copy_rows",
        lambda self, partition, chunk: (
            copied.append(len(chunk.documents)) or whole_copy(self, partition, chunk)
        ),
    )
    corpus = read(corpus)
    assert corpus.status == "ready", corpus.error
    assert sum(copied) == of - kept  # nothing was done twice
    assert rows(corpus) == rows(undisturbed) and words(corpus.version) == words(undisturbed.version)
    assert (
        corpus.version.report == undisturbed.version.report and corpus.report == undisturbed.report
    )
    assert report(corpus) == report(undisturbed) and report(corpus).count(b"\n") >= 3
    assert corpus.bytes_read == corpus.bytes_total


def test_words_are_chosen_again_without_reading_a_text(draft, monkeypatch):
    corpus = read(queued(draft, as_csv(example_rows(ROWS))))
    first = corpus.version
    before = words(first)
    monkeypatch.setattr("webapp.intake.file_formats.read", None)
    version = versions.choose(
        corpus,
        VocabularySettings(
            language="en", min_documents=2, extra_stop_words=[before[0][0]], numbers=True
        ),
    )
    choose(version.pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert (
        corpus.version == version
        and corpus.version.number == 2
        and corpus.version.status == "ready"
    )
    assert before[0][0] not in [word for word, *_ in words(version)] and any(
        word.isdigit() for word, *_ in words(version)
    )
    assert (
        words(first) == before
        and Bow.open(files.version_folder(first.pk) / "bow").digest == first.report["digest"]
    )
    assert (
        corpus.version.tokens
        == evidence.bow(version.pk).tokens
        == sum(tokens for _, tokens, _ in words(version))
    )


def test_a_choice_that_leaves_nothing_harms_nothing(draft):
    corpus = read(queued(draft, as_csv(example_rows(40))))
    version = versions.choose(corpus, VocabularySettings(language="en", min_documents=1000))
    with pytest.raises(Invalid, match="Another version"):
        versions.choose(corpus, VocabularySettings())
    choose(version.pk)
    version.refresh_from_db()
    assert version.status == "failed" and "No word is left" in version.error
    assert (
        Corpus.objects.get(pk=corpus.pk).version == corpus.version
        and Corpus.objects.get(pk=corpus.pk).status == "ready"
    )


def upload(tmp_path, content: bytes, name: str) -> corpora.ReceivedFile:
    path = tmp_path / f"upload-{len(list(tmp_path.iterdir()))}"
    path.write_bytes(content)
    return corpora.ReceivedFile(name, path)


def added(
    corpus: Corpus, *uploads: corpora.ReceivedFile, known: dict | None = None, **changes
) -> Version:
    """The version that follows, as who changes nothing gets it. known: of guesses.sniff; changes:
    of Reading."""
    addition = corpora.create_addition(corpus, uploads)
    found = guesses.keep_chosen_columns(
        guesses.sniff(addition, **(known or {})), addition.settings["options"]
    )
    return corpora.add_files(
        addition,
        replace(
            corpora.ReadingSettings(**addition.settings), options=asdict(found.options), **changes
        ),
    )


def tokens(corpus: Corpus) -> dict[str, bytes]:
    """The files of its words."""
    found = {
        path.name: path.read_bytes()
        for path in (files.corpus_folder(corpus.pk) / "tokens").iterdir()
    }
    return found | {"checkpoint.json": json.loads(found["checkpoint.json"])}


def read_by_an_older_version(corpus: Corpus) -> None:
    """Its words are kept as they were before: downgrade."""
    progress = Corpus.objects.get(pk=corpus.pk).progress
    progress["stream"] = old_streams.downgrade(
        files.corpus_folder(corpus.pk) / "tokens", progress["stream"]
    )
    Corpus.objects.filter(pk=corpus.pk).update(progress=progress)


def searched(corpus: Corpus) -> tuple:
    """What is found, and where, in documents that hold nothing but words of their own."""
    index = search.open_index(corpus)
    found = index.find("government")
    pattern = search.pattern(corpus, "the * of ~4 and")
    assert len(found) > 20
    counted = search.Hits(index, pattern, None, np.zeros(0, bool), np.ones(corpus.documents, bool))
    places = index.places("government", found.tolist())
    return (
        found.tolist(),
        counted.counts.tolist(),
        {d: [part.tolist() for part in parts] for d, parts in places.items()},
    )


def as_written(corpus: Corpus, word: str) -> int:
    """Places where a word is written so."""
    index = search.open_index(corpus)
    pattern = search.pattern(corpus, f"={word}")
    return int(
        search.Hits(
            index, pattern, None, np.zeros(0, bool), np.ones(corpus.documents, bool)
        ).counts.sum(dtype=int)
    )


def test_words_of_an_older_version_are_read_and_renewed(draft, tmp_path, small_chunks, monkeypatch):
    """Before documents are added, and where a reading continues that an older version began:
    nothing is lost."""
    found = example_rows(ROWS)
    whole, corpus = (read(queued(draft, as_csv(found[:81]))) for _ in range(2))
    before = searched(corpus)
    read_by_an_older_version(corpus)
    assert (
        searched(corpus) == before and "starts" in tokens(corpus) and "steps" not in tokens(corpus)
    )
    with pytest.raises(Invalid, match="older version"):
        as_written(corpus, "Union")
    for one in (whole, corpus):
        choose(added(one, upload(tmp_path, as_csv([found[0], *found[81:]]), "later.csv")).pk)
        one.refresh_from_db()
    assert tokens(corpus) == tokens(whole) and corpus.progress["stream"] == whole.progress["stream"]
    assert words(corpus.version) == words(whole.version) and searched(corpus) == searched(whole)
    assert (
        as_written(corpus, "Union") == as_written(whole, "Union") > as_written(corpus, "union") > 0
    )
    whole = read(queued(draft, as_csv(found)))
    began = queued(draft, as_csv(found))
    with killed_when_rows_are_copied(monkeypatch):
        read_corpus(began.pk)
    read_by_an_older_version(began)
    Corpus.objects.filter(pk=began.pk).update(status="queued")
    began = read(began)
    assert began.status == "ready" and tokens(began) == tokens(whole)


def test_the_job_renews_an_older_version(draft, tmp_path, small_chunks, monkeypatch):
    """What words are cut of is what they were cut of before, whatever each addition leaves out."""
    found = example_rows(ROWS)
    cut = []
    read_again = []
    asked = []
    found[7][-1], found[90][-1] = (
        f"{row[-1]} See https://example.org/US or http://a.b now." for row in (found[7], found[90])
    )
    add = Writer.add
    renew = Stream.renew
    monkeypatch.setattr(
        Writer, "add", lambda self, texts, titles: cut.extend(texts) or add(self, texts, titles)
    )
    rules = [
        asdict(Shaping(silent=(rule,))) for rule in ("to:Fellow-Citizens of the …", "addresses")
    ]
    corpus = read(queued(draft, as_csv(found[:81]), shaping=rules[0]))
    choose(
        added(
            corpus, upload(tmp_path, as_csv([found[0], *found[81:]]), "later.csv"), shaping=rules[1]
        ).pk
    )
    corpus.refresh_from_db()
    expected = tokens(corpus)
    read_by_an_older_version(corpus)

    def noting(folder, checkpoint, texts):
        return renew(folder, checkpoint, (read_again.extend(some) or some for some in texts))

    monkeypatch.setattr(Stream, "renew", noting)
    monkeypatch.setattr(dispatch, "ask", lambda *task: asked.append(task))
    for idle in (False, True, True):  # the second worker knows that it is asked for
        monkeypatch.setattr(scheduler, "idle", lambda idle=idle: idle)
        tidy()
    assert asked == [("tasks.corpora.renew", [corpus.pk], None)]
    renew_corpus(corpus.pk, None)
    assert read_again == cut and sum(text.count(" " * 9) for text in cut)
    assert (
        tokens(corpus) == expected and Corpus.objects.get(pk=corpus.pk).progress == corpus.progress
    )
    assert as_written(corpus, "Union") > 0
    events.client().delete(f"renewed:{corpus.pk}")
    tidy()
    renew_corpus(corpus.pk, None)
    assert len(asked) == 1 and read_again == cut


def test_documents_are_added(draft, tmp_path, small_chunks):
    """As if they had been there from the beginning, except that older versions do not see them."""
    found = example_rows(ROWS)
    whole = read(queued(draft, as_csv(found)))
    corpus = read(queued(draft, as_csv(found[:81])))
    first = corpus.version
    choose(added(corpus, upload(tmp_path, as_csv([found[0], *found[81:]]), "later.csv")).pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert corpus.version.status == "ready" and corpus.documents == ROWS and first.documents == 80
    assert [row[:6] for row in rows(corpus)] == [row[:6] for row in rows(whole)]
    assert (
        words(corpus.version) == words(whole.version)
        and corpus.version.report == whole.version.report
    )
    assert [len(document_days.read_days(version)) for version in (first, corpus.version)] == [
        80,
        ROWS,
    ]
    assert (
        corpus.bytes_read == corpus.bytes_total == sum(corpus.files.values_list("bytes", flat=True))
    )


def test_added_files_are_read_in_a_way_of_their_own(draft, tmp_path, small_chunks):
    """Another encoding, other columns and another order of dates; what was read before stays, and
    is read alike another time."""
    first = [
        ["id", "text", "when", "seen"],
        *(
            [
                str(i),
                f"жизнь и труд {i % 7} волга " * 3,
                f"13/{1 + i % 9}/1999",
                f"14/{1 + i % 9}/1999",
            ]
            for i in range(30)
        ),
    ]
    corpus = read(queued(draft, as_csv(first), min_documents=1, max_share=1.0))
    more = [
        ["when", "body", "seen", "place"],
        *(
            [
                f"{1 + i % 9}/15/1999",
                f"зима лето {i % 5} волга " * 3,
                f"{1 + i % 9}/16/1999",
                "Омск",
            ]
            for i in range(20)
        ),
    ]
    later = upload(tmp_path, as_csv(more).decode().encode("koi8-r"), "later.csv")
    choose(added(corpus, later, known={"encoding": "koi8-r"}).pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    found = rows(corpus)
    assert (
        corpus.documents == 50
        and "зима" in found[30][4]
        and found[30][3] == date(1999, 1, 15)
        and found[0][3] == date(1999, 1, 13)
    )
    seen = next(found for found in fields.ranges(corpus.version) if found.name == "seen")
    assert fields.values(corpus.version, seen)[[0, 30]].tolist() == [
        date(1999, 1, 14).toordinal(),
        date(1999, 1, 16).toordinal(),
    ]
    assert not Corpus.objects.filter(added_to=corpus).exists()
    choose(versions.choose(corpus, VocabularySettings(min_documents=1, max_share=1.0)).pk)
    again = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert rows(again) == found and words(again.version) == words(corpus.version)


def test_texts_are_not_added_to_counted_words(draft, tmp_path):
    corpus = read(queued(draft, as_csv(example_rows(40))))
    bag = [
        upload(tmp_path, b"2\n2\n2\n1 1 3\n2 2 1\n", "docword.a.txt"),
        upload(tmp_path, b"one\ntwo\n", "vocab.a.txt"),
    ]
    with pytest.raises(Invalid, match="a corpus of their own"):
        added(corpus, *bag)
    assert (
        Corpus.objects.filter(added_to=corpus).count() == 1
        and not corpus.versions.filter(status="queued").exists()
    )


def test_files_are_read_again_in_another_way(draft):
    """As a corpus of their own, of the same files; the first one stays, and either can go."""
    content = as_csv(
        [
            ["id", "text", "other"],
            *(
                [str(i), f"Привет мир {i % 4} и люди " * 3, f"другие слова {i % 3} тут " * 3]
                for i in range(20)
            ),
        ]
    )
    corpus = read(queued(draft, content.decode().encode("cp1251"), min_documents=1, max_share=1.0))
    before = rows(corpus)
    again = corpora.copy_as_draft(corpus)
    assert corpora.copy_as_draft(corpus) == again  # one is enough
    (mine,), (its,) = guesses.paths(corpus), guesses.paths(again)
    assert (
        mine[0] != its[0]
        and mine[0].samefile(its[0])
        and again.bytes_total == corpus.files.get().bytes
    )
    options = Corpus.objects.get(pk=again.pk).settings["options"]
    corpora.read(
        again, replace(corpora.ReadingSettings(**again.settings), options=options | {"text": 2})
    )
    again = read(again)
    assert again.status == "ready" and "другие" in rows(again)[0][4] and rows(corpus) == before
    deletion.delete_corpus(corpus)
    deletion.expire_now(corpus)
    tidy()
    assert guesses.paths(again)[0][0].read_bytes() == content.decode().encode("cp1251")
    assert Corpus.objects.get(pk=again.pk).parent is None


def test_the_plan_of_documents_that_came_when_a_file_was_tried_again():
    """They are behind those of additions, though their file came before them."""

    def plan(documents: int, *spans: tuple[int, int]) -> SimpleNamespace:
        return SimpleNamespace(documents=documents, spans=list(spans))

    plans = [plan(3, (0, 2), (4, 1)), plan(2, (2, 2))]
    assert read_files.plan_of_documents(plans, 5).tolist() == [0, 0, 1, 1, 0]
    assert read_files.plan_of_documents(plans, 3).tolist() == [0, 0, 1]
    # Of two files of the first plan nothing says where their documents are
    plans = [plan(3), plan(1, (2, 1))]
    assert read_files.plan_of_documents(plans, 4).tolist() == [0, 0, 1, 0]
    assert read_files.plan_of_documents([plan(0)], 2).tolist() == [0, 0], "a part has no files"


def test_only_what_failed_is_tried_again(draft, tmp_path):
    """One bad file of several does not refuse the rest; tried again, it goes on where it broke
    off."""
    found = example_rows(ROWS)
    for row in found[41:]:
        row[5] *= 6  # more than is unpacked at once
    content = gzip.compress(as_csv(found[:1] + found[41:]), 1)
    corpus = corpora.create(
        "several",
        [
            upload(tmp_path, as_csv(found[:41]), "a.csv"),
            upload(tmp_path, content[: len(content) // 2], "b.csv.gz"),
        ],
    )
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), language="en", min_documents=2
        ),
    )
    corpus = read(corpus)
    assert corpus.status == "ready" and 40 < corpus.documents < ROWS
    bad = corpus.files.get(position=1)
    assert "not complete" in bad.error and corpus.report["problems"][-1]["file"] == "b.csv.gz"
    with pytest.raises(Invalid):
        corpora.retry_failed_files(read(queued(draft, as_csv(found))))
    guesses.stored_path(bad).write_bytes(content)  # mended
    choose(corpora.retry_failed_files(corpus).pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert [row[4] for row in rows(corpus)] == [row[5] for row in found[1:]]
    assert not corpus.files.exclude(error="").exists()


def test_what_failed_is_joined_when_it_is_tried_again(draft, tmp_path):
    """Documents that depend on others are made of what is read at once; no text is lost, and none
    is there twice."""
    found = example_rows(ROWS)
    for row in found[1:]:
        row[5] = row[5][:3000] + row[0]
    content = gzip.compress(as_csv(found[:1] + found[41:]), 1)
    corpus = corpora.create(
        "several",
        [
            upload(tmp_path, as_csv(found[:41]), "a.csv"),
            upload(tmp_path, content[: len(content) // 2], "b.csv.gz"),
        ],
    )
    shaping = asdict(Shaping(join=("party",), period="year"))
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options),
            language="en",
            min_documents=2,
            shaping=shaping,
        ),
    )
    corpus = read(corpus)
    assert corpus.status == "ready", corpus.error
    guesses.stored_path(corpus.files.get(position=1)).write_bytes(content)
    choose(corpora.retry_failed_files(corpus).pk)
    corpus = Corpus.objects.get(pk=corpus.pk)
    texts = "".join(row[4] for row in rows(corpus))
    assert [texts.count(row[5]) for row in found[1:]] == [1] * ROWS and corpus.documents < ROWS


def test_documents_that_repeat_others_and_ids_that_stand_twice_are_counted(draft):
    found = example_rows(60)
    long = max(found[1:], key=lambda row: len(row[5]))
    found += [
        ["twin", *long[1:]],
        [found[3][0], *found[4][1:5], "another text altogether " * 3],
        ["near", *long[1:5], long[5] + " And one more word."],
    ]
    corpus = read(queued(draft, as_csv(found)))
    assert corpus.report["duplicates"] == {"exact": 1, "near": 1}
    assert (corpus.report["repeated_ids"], corpus.report["repeated_ids_first"]) == (
        1,
        [found[3][0]],
    )
    version = versions.choose(
        corpus, VocabularySettings(language="en", min_documents=2, duplicates="exact")
    )
    choose(version.pk)
    lengths = evidence.bow(version.pk).first_token
    assert lengths[61] == lengths[60] and lengths[63] > lengths[62]


def test_each_file_says_what_came_of_it(draft, tmp_path, small_chunks):
    found = example_rows(60)
    found[5][5] = ""
    came = [
        upload(tmp_path, as_csv(found), "a.csv"),
        upload(tmp_path, b"\x89PNG" + bytes(90), "b.csv"),
        upload(
            tmp_path,
            ("id,text\n" + "1,Voil\xe0 des \xe9t\xe9s \xe0 la fen\xeatre\n" * 9).encode("cp1252"),
            "c.csv",
        ),
    ]
    corpus = corpora.create("", came)
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), min_documents=1, max_share=1.0
        ),
    )
    corpus = read(corpus)
    said = list(corpus.files.values_list("documents", "problems", "encoding"))
    assert (
        said == [(59, 1, "utf-8"), (0, 1, said[1][2]), (9, 0, "cp1252")] and corpus.documents == 68
    )


def test_joined_documents_are_counted_by_their_first_file(draft, tmp_path):
    found = example_rows(40)
    corpus = corpora.create(
        "",
        [
            upload(tmp_path, as_csv(found[:21]), "a.csv"),
            upload(tmp_path, as_csv([found[0], *found[21:]]), "b.csv"),
        ],
    )
    shaping = asdict(Shaping(join=("party",)))
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options),
            min_documents=1,
            max_share=1.0,
            shaping=shaping,
        ),
    )
    corpus = read(corpus)
    counts = corpus.files.values_list("documents", flat=True)
    assert counts[0] and sum(counts) == corpus.documents < 40


def test_an_addition_that_was_killed_behind_its_last_document_is_read_to_its_end(
    draft, tmp_path, monkeypatch
):
    found = example_rows(60)
    corpus = read(queued(draft, as_csv(found[:41])))
    version = added(corpus, upload(tmp_path, as_csv([found[0], *found[41:]]), "more.csv"))
    with killed_when_rows_are_copied(monkeypatch):
        choose(version.pk)
    Version.objects.filter(pk=version.pk).update(status="queued")
    choose(version.pk)
    version.refresh_from_db()
    assert (version.status, version.documents) == ("ready", 60), version.error


def test_added_files_without_a_document_are_a_sentence(draft, tmp_path):
    corpus = read(queued(draft, as_csv(example_rows(40))))
    addition = corpora.create_addition(
        corpus, [upload(tmp_path, b"\x89PNG\r\n\x1a\n" + bytes(100), "picture.csv")]
    )
    version = corpora.add_files(addition, corpora.ReadingSettings(**addition.settings))
    choose(version.pk)
    version.refresh_from_db()
    assert version.status == "failed" and "picture.csv" in version.error
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert corpus.documents == 40 and corpus.files.get(position=1).error
    # And is in nobody's way
    choose(versions.choose(corpus, VocabularySettings(language="en", min_documents=2)).pk)
    assert Corpus.objects.select_related("version").get(pk=corpus.pk).version.number == 3


def test_a_version_is_swept_up_when_its_process_is_lost(draft):
    corpus = read(queued(draft, as_csv(example_rows(40))))
    version = versions.choose(corpus, VocabularySettings(language="en", min_documents=3))
    assert claims.claim(kinds.VECTORIZE, version.pk) == 1
    sweep_for(STALE + 5)
    choose(version.pk)
    version.refresh_from_db()
    assert (version.status, version.attempt) == ("ready", 2)


def test_files_lead_to_their_documents_and_problems(draft, tmp_path, client, small_chunks):
    """Also where a file has many chunks, where files were added, and in pages of problems."""
    found = example_rows(ROWS)
    broken = [[*row[:5], ""] for row in found[1:8]]
    several = [
        upload(tmp_path, as_csv([found[0], *part]), name)
        for name, part in (
            ("a.csv", found[1:71]),
            ("b.csv", [*broken, *found[71:80]]),
            ("c.csv", found[80:91]),
        )
    ]
    corpus = corpora.create("several", several)
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), language="en", min_documents=2
        ),
    )
    corpus = read(corpus)
    choose(added(corpus, upload(tmp_path, as_csv([found[0], *found[91:100]]), "d.csv")).pk)
    assert list(corpus.files.values_list("first", "documents", "problems")) == [
        (0, 70, 0),
        (70, 9, 7),
        (79, 11, 0),
        (90, 9, 0),
    ]
    page = client.get(reverse("corpus_files", args=[corpus.pk])).content.decode()
    for position, (first, documents) in enumerate(corpus.files.values_list("first", "documents")):
        address = reverse("corpus_documents_json", args=[corpus.pk]) + f"?only=file:{position}"
        assert address.replace(".json", "/") in page
        listed = client.get(address).json()
        assert listed["count"] == documents and listed["items"][0]["number"] == first
    assert (
        "of the file “b.csv”"
        in client.get(
            reverse("corpus_documents", args=[corpus.pk]) + "?only=file:1"
        ).content.decode()
    )
    for wrong in ("file:9", "file:x", "file:-1"):
        assert (
            client.get(reverse("corpus_documents", args=[corpus.pk]) + f"?only={wrong}").status_code
            == 400
        )
    problems = reverse("corpus_problems_json", args=[corpus.pk])
    assert (
        len(client.get(problems + "?file=1").json()["problems"]) == 7
        and not client.get(problems + "?file=0").json()["problems"]
    )
    assert (
        client.get(problems + "?file=99").status_code == 404
        and client.get(problems + "?after=12").status_code == 200
    )


def test_problems_come_page_by_page(draft, monkeypatch):
    rows = example_rows(60)
    for i in range(10, 40):
        rows[i] = ["short", "a\nb"]
    corpus = read(queued(draft, as_csv(rows)))
    every, nothing = sources.problems(corpus, "")
    assert len(every) == 30 and nothing is None and every[0]["dropped"]
    monkeypatch.setattr(sources, "PROBLEMS", 7)
    pages = []
    after = 0
    while after is not None:
        found, after = sources.problems(corpus, "a.csv", after)
        pages.append(found)
    assert [len(page) for page in pages] == [7, 7, 7, 7, 2] and sum(pages, []) == every
    assert sources.problems(corpus, "another.csv") == ([], None)


def test_words_that_count_are_listed(draft, client):
    corpus = read(queued(draft, as_csv(example_rows(60))))
    url = reverse("corpus_vocabulary_json", args=[corpus.pk])
    answer = client.get(url).json()
    first = answer["items"]
    assert first[0]["tokens"] >= first[-1]["tokens"] and len(first) == 100
    assert client.get(url + answer["next"]).json()["items"][0]["number"] == 100
    page = client.get(reverse("corpus_vocabulary", args=[corpus.pk])).content.decode()
    assert f"?q=%22{first[0]['word']}%22" in page
    with_it = client.get(
        reverse("corpus_documents_json", args=[corpus.pk]) + f"?q=%22{first[0]['word']}%22"
    ).json()
    assert with_it["count"] == first[0]["documents"]
