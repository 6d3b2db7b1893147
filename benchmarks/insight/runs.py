"""Uploading, reading and training by what the pages preset, in this process; shuffled copies of a
run's columns."""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from benchmarks.browser import reading_fields, training_form
from benchmarks.insight.collections import Collection
from inference import engines
from inference.explore.company import company
from inference.explore.naming import general_talk
from tasks.corpora import read_corpus, store_upload
from tasks.runs import train
from webapp.analysis.findings import compute, stored
from webapp.analysis.findings.finding import Detail
from webapp.analysis.findings.overview import overview
from webapp.core.documents import document_days, fields
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence, family_tree
from webapp.core.results.view import RunView
from webapp.core.runs import names, services
from webapp.models import Corpus, Run, Snapshot, StoredResult, Topic
from webapp.platform.local import migrations, servers
from webapp.platform.storage import cache

KINDS_OF_TIME = ("change", "event", "speaker", "sense")
KINDS_OF_GROUPS = ("mark", "keyword")
HOST = "127.0.0.1"
DIGITS = 12  # of what the files hash to, in the corpus's name
OK = 200
FOUND = 302  # the status of an answer that sends on to the next page


def trained(collection: Collection, quick: bool, seed: int, **settings):
    """A finished run, made by the pages' presets but for some settings; one that is there already,
    with its names and findings made anew."""
    if servers.ours:
        migrations.bring_up_to_date(dict(os.environ))
    content = b"".join(content for _, content in collection.files)
    digest = hashlib.sha256(content).hexdigest()[:DIGITS]
    corpus = read(collection, f"{collection.name} {digest}")
    runs = Run.objects.select_related("snapshot", "version", "corpus")
    trained_before = runs.filter(corpus=corpus, seed=seed, status="done").order_by("pk").last()
    if trained_before is not None:
        _name_anew(trained_before)
        return runs.get(pk=trained_before.pk)
    settings.setdefault("topics", _preset_topics(corpus))
    engine = settings.pop("engine", engines.DEFAULT)
    run_id = services.create(corpus.version, seed=seed, engine=engine, engine_settings=settings).pk
    train(run_id)
    run = runs.get(pk=run_id)
    if run.status != "done":
        raise SystemExit(f"{collection.name}: the run is {run.status}: {run.error}")
    return run


def _name_anew(run) -> None:
    Snapshot.objects.filter(pk=run.snapshot_id).update(naming=0)
    called = names.of_finished(run, SimpleNamespace(check=lambda: None))
    names.rename(run, called)
    kinds = company(evidence.of(run))
    is_general = general_talk(kinds, called.names)
    for k in range(run.topics):
        Topic.objects.filter(snapshot=run.snapshot_id, number=k).update(
            background=bool(is_general[k]), mixed=bool(kinds.mixed[k])
        )
    StoredResult.objects.filter(snapshot=run.snapshot_id, key=family_tree.TREE).delete()
    cache.clear_all()


def read(collection: Collection, name: str):
    """The corpus, read as the prepare page is preset."""
    if corpus := Corpus.objects.filter(name=name, status="ready").first():
        return corpus
    client = Client(SERVER_NAME=HOST)
    files = [SimpleUploadedFile(*file) for file in collection.files]
    answer = client.post("/corpora/", {"name": name, "files": files})
    address = re.search(r"/corpora/(\d+)/", answer["Location"])
    if address is None:
        raise SystemExit(f"{collection.name}: no corpus was made.")
    number = int(address[1])
    store_upload(number)  # large ones; others are stored by now
    prepare = f"/corpora/{number}/prepare/"
    answer = client.post(prepare, reading_fields(client.get(prepare).content.decode()))
    if answer.status_code != FOUND:
        raise SystemExit(f"{collection.name}: the prepare page answered {answer.status_code}")
    read_corpus(number)
    corpus = Corpus.objects.select_related("version").get(pk=number)
    if corpus.status != "ready":
        raise SystemExit(f"{collection.name}: the corpus is {corpus.status}: {corpus.error}")
    return corpus


def _preset_topics(corpus) -> int:
    """What the form that trains is preset with."""
    page = Client(SERVER_NAME=HOST).get(f"/corpora/{corpus.pk}/").content.decode()
    preset = training_form(page)["topics"]
    if isinstance(preset, list):
        raise SystemExit("The form that trains has several fields “topics”.")
    return int(preset)


def shown(run, detail: Detail) -> dict:
    """Its JSON, of findings that are computed anew when it is asked for as first shown."""
    if detail == "":
        StoredResult.objects.filter(snapshot=run.snapshot_id).delete()
        stored.compute(run.pk)
    return asdict(overview(_all_documents(run), detail, None))


def page(run) -> str:
    """Its overview as a reader sees it, of the findings that `shown` computed."""
    answer = Client(SERVER_NAME=HOST).get(f"/runs/{run.pk}/overview/")
    if answer.status_code != OK:
        raise SystemExit(f"run {run.pk}: the overview answered {answer.status_code}")
    return answer.content.decode()


def topic_pages(run) -> Iterator[dict]:
    """The JSON of each topic's page."""
    client = Client(SERVER_NAME=HOST)
    for number in range(run.topics):
        answer = client.get(reverse("run_topic_json", args=[run.pk, number]))
        if answer.status_code != OK:
            raise SystemExit(f"topic {number} of run {run.pk} answered {answer.status_code}")
        yield answer.json()


def false_findings(run, chance: np.random.Generator) -> list:
    """Sentences about time where the documents' dates are shuffled, and about groups where their
    values are."""
    order = chance.permutation(run.version.documents)
    read_days = document_days.read_days
    values = fields.values
    with mock.patch.object(document_days, "read_days", lambda version: read_days(version)[order]):
        rows = compute.findings(_all_documents(run)).findings
        false: list[Any] = [row for row in rows if row.kind in KINDS_OF_TIME]
    with mock.patch.object(fields, "values", lambda version, field: values(version, field)[order]):
        rows = compute.findings(_all_documents(run)).findings
        false += [row for row in rows if row.kind in KINDS_OF_GROUPS]
    return false


def _all_documents(run):
    return Selection.read(QueryDict(""), RunView(run))
