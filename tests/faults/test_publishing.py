"""A reader sees what was there, or what is there now: never a part of it, never nothing."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import OperationalError, connection

import inference
from inference import Bow, checkpoint, engines
from inference.index import Index
from inference.text import Stream, Tokeniser
from tasks.corpora import choose, read_corpus
from tasks.runs import train
from tests.corpora import as_csv, example_rows
from webapp.core.runs import services as runs, snapshots
from webapp.intake.ingest import versions
from webapp.models import Corpus, Document, Run, Snapshot, Topic, TopicWord, Version, Word
from webapp.platform.jobs import claims
from webapp.platform.storage import bulk, files


@contextmanager
def readers(look, count: int = 2):
    """Threads that look again and again, each over a connection of its own, while the block runs;
    what they raise is raised here."""
    ended = threading.Event()
    wrong = []
    looks = []

    def loop():
        try:
            while not ended.is_set():
                looks.append(look())
        except BaseException as error:
            wrong.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=loop) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield looks
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    if wrong:
        raise wrong[0]
    assert looks, "nobody looked"


def test_topics_of_a_run(committed, ready, monkeypatch):
    monkeypatch.setattr("webapp.core.runs.early_topics.PUBLISH_SHARE", 1e9)  # each snapshot
    run = runs.create(ready.version, seed=1, topics=7, engine_settings={"passes": 6})

    def published():
        return Run.objects.values_list("snapshot", flat=True).get(pk=run.pk)

    def look():
        """A snapshot that is the run's before and after has all its rows; one that was replaced
        meanwhile may go."""
        snapshot = published()
        while snapshot:
            topics = Topic.objects.filter(snapshot=snapshot).count()
            first_words = TopicWord.objects.filter(snapshot=snapshot, rank=0).count()
            if (now := published()) == snapshot:
                assert (topics, first_words) == (7, 7)
                break
            snapshot = now
        return snapshot

    with readers(look) as seen:
        train(run.pk)
        final = look()
    assert len({*seen, final} - {None}) > 1
    assert Run.objects.get(pk=run.pk).status == "done"


def on_another_connection(look):
    """What `look` returns where it sees only what is committed."""
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(look).result()
        thread.submit(lambda: connection.close()).result()
    return answer


def test_rows_of_topics_are_committed_before_the_run_points_to_them(committed, ready, monkeypatch):
    run = runs.create(ready.version, seed=1, topics=7, engine_settings={"passes": 2})
    first_words = []
    update = claims.update

    def look_then_update(kind, pk, attempt, **fields):
        if snapshot := fields.get("snapshot"):
            rows = TopicWord.objects.filter(snapshot=snapshot, rank=0)
            first_words.append(on_another_connection(rows.count))
        update(kind, pk, attempt, **fields)

    monkeypatch.setattr(claims, "update", look_then_update)
    train(run.pk)
    assert first_words and set(first_words) == {7}


def test_topics_that_no_run_points_to_are_dropped(committed, ready, monkeypatch):
    run = runs.create(ready.version, seed=1, topics=7, engine_settings={"passes": 2})
    stored = []

    def lose_claim(stored_topics, attempt):
        stored.append(stored_topics.snapshot.pk)
        raise claims.ClaimLost(f"run {run.pk}")

    monkeypatch.setattr(snapshots.StoredTopics, "show", lose_claim)
    train(run.pk)
    assert stored
    assert not Snapshot.objects.filter(run=run).exists()
    assert not set(stored) & {key for table, key in bulk.orphans() if table == "topic_word"}


def test_documents_and_words_are_committed_before_the_corpus_points_to_them(
    committed, draft, ready, monkeypatch
):
    corpus = draft(as_csv(example_rows(100)))
    Corpus.objects.filter(pk=corpus.pk).update(settings=ready.settings, status="queued")
    seen = []
    folders_of_first_try = []
    update = claims.update

    def look_then_update(kind, pk, attempt, **fields):
        if version := fields.get("version"):
            words = on_another_connection(Word.objects.filter(version=version).count)
            documents = on_another_connection(Document.objects.filter(corpus=corpus.pk).count)
            seen.append((words > 0, documents))
            if len(seen) == 1:
                folders_of_first_try.append(files.version_folder(version.pk))
                raise OperationalError("the first try ends here")
        update(kind, pk, attempt, **fields)

    monkeypatch.setattr(claims, "update", look_then_update)
    with pytest.raises(OperationalError):
        read_corpus(corpus.pk)
    Corpus.objects.filter(pk=corpus.pk).update(status="queued")
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert (corpus.status, corpus.error) == ("ready", "")
    assert seen == [(True, 100), (True, 100)]
    for folder in folders_of_first_try:  # upkeep removes it when it is old enough
        shutil.rmtree(folder)


def test_a_corpus_and_its_versions(committed, draft, ready):
    corpus = draft(as_csv(example_rows(100)))
    Corpus.objects.filter(pk=corpus.pk).update(settings=ready.settings, status="queued")

    def look():
        now = Corpus.objects.select_related("version").get(pk=corpus.pk)
        assert (now.status == "ready") == (now.version is not None)
        if now.version:
            assert now.version.status == "ready"
            assert Word.objects.filter(version=now.version).count() == now.version.vocabulary > 0
            assert (
                Document.objects.filter(corpus_id=corpus.pk).count() == now.version.documents == 100
            )
            assert (
                Bow.open(files.version_folder(now.version.pk) / "bow").digest
                == now.version.report["digest"]
            )
        return now.version and now.version.pk

    with readers(look) as seen:
        read_corpus(corpus.pk)
        look()
        corpus.refresh_from_db()
        version = versions.choose(
            corpus, replace(versions.VocabularySettings.from_dict(corpus.settings), min_documents=2)
        )
        choose(version.pk)
        seen.append(look())
    assert Version.objects.get(pk=version.pk).status == "ready" and version.pk in seen


@pytest.mark.django_db
def test_a_checkpoint(ready, tmp_path):
    bow = Bow.open(files.version_folder(ready.version_id) / "bow")
    engine, config = (
        engines.get("ssi"),
        engines.config("ssi", topics=5, passes=8).resolve(bow.D, bow.tokens),
    )
    path, once = tmp_path / "checkpoint", threading.Event()

    def look():
        once.wait(60)
        return checkpoint.load(path, engine=engine, config=config, bow=bow).t

    with readers(look) as seen:
        for event in inference.train(engine, config, bow, seed=1, threads=1):
            if isinstance(event, inference.Snapshot):
                checkpoint.save(path, event.state, engine=engine, config=config, bow=bow)
                once.set()
        last = look()
    assert (
        last == event.steps and {0, *seen} - {0} and not path.with_name("checkpoint.new").exists()
    )


def test_an_index_that_grows(tmp_path):
    texts = [f"the word number{i} and the ocean" for i in range(40)]
    folder = tmp_path / "index"

    def spans(text):
        # One for each question, as in the program: threads may not share one
        return Tokeniser("en").spans(text)

    with Stream.write(tmp_path / "tokens", Tokeniser("en")) as writer:
        writer.add(texts, texts)
        writer.commit()
    first = Stream.open(tmp_path / "tokens")
    Index.write(folder, first, "en")

    def look():
        stream = Stream.open(tmp_path / "tokens")
        found = Index.open(folder, stream, spans).find("ocean")
        assert len(found) >= 40 and len(found) % 40 == 0
        return len(found)

    with readers(look) as seen:
        resume = first.checkpoint
        for _ in range(12):
            with Stream.write(tmp_path / "tokens", Tokeniser("en"), resume) as writer:
                writer.add(texts, texts)
                resume = writer.commit()
            Index.write(folder, Stream.open(tmp_path / "tokens"), "en", extend=True)
        seen.append(look())
    assert max(seen) == 40 * 13
