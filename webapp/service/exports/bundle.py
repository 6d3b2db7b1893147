"""All that is needed to train a run again and compare bit for bit: `manage.py verify`
(inference.verify) reads it."""

import json
from collections.abc import Iterator
from dataclasses import replace

from inference.text import stop_words
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents.selection import Selection
from webapp.core.results import provenance
from webapp.models import Run
from webapp.service.exports import arrays, tables
from webapp.service.exports.model import Model
from webapp.service.exports.table_formats import as_csv
from webapp.service.exports.zips import Member, npz, ready_array, zipped

FORMAT = 1  # raised when the files change their meaning


def archive(source: tables.ExportSource, bag: bool = True) -> Iterator[bytes]:
    """The zip, of all documents, whatever set was asked for. bag: with the bag of words, which is
    what trains; never under embargo."""
    shut = source.run.corpus.embargo or not bag
    return zipped(_members(replace(source, selection=Selection.all(source.selection.view)), shut))


def _members(source: tables.ExportSource, shut: bool) -> Iterator[Member]:
    run = source.run
    model = Model(source.run)
    evidence = model.evidence
    bow = model.evidence.section_bow
    reading = run.version.settings
    yield Member("README.txt", [provenance.readme(run, *_about(run, shut))])
    yield Member("run.json", [json.dumps(_facts(source), ensure_ascii=False, indent=1).encode()])
    stops = sorted(
        set(reading["extra_stop_words"]).union(
            *map(stop_words, (reading["language"], *reading.get("also", [])))
        )
    )
    yield Member("stop_words.txt", ["".join(f"{word}\n" for word in stops).encode()])
    yield Member("vocabulary.txt", ["".join(f"{word}\n" for word in model.vocabulary).encode()])
    yield Member("documents.csv", as_csv(tables.documents(source), {}))
    yield Member("topics.npz", npz(arrays.topics(model)), stored=True)
    assignment_arrays = [
        ready_array("topics", evidence.token_topics.topics),
        ready_array("certainty", evidence.token_topics.certainty),
        ready_array("doc_ptr", evidence.mixtures.doc_ptr),
        ready_array("doc_topics", evidence.mixtures.doc_topics),
        ready_array("doc_tokens", evidence.mixtures.doc_tokens),
    ]
    yield Member("assignments.npz", npz(assignment_arrays), stored=True)
    if not shut:
        yield Member(
            "bag_of_words.npz",
            npz(
                [
                    ready_array("indptr", bow.indptr),
                    ready_array("words", bow.words),
                    ready_array("counts", bow.counts),
                    *([] if bow.first_row is None else [ready_array("first_row", bow.first_row)]),
                ]
            ),
            stored=True,
        )


_HOW_TO_TRAIN = (
    "Train this run again and compare: python3 manage.py verify <this file>, with the Topograph"
    " that is named below."
)
_FIRST_TOPICS_MISSING = (
    "This run began with the topics of another run, which are not here: it can't be trained again"
    " from this file."
)
_FILES = (
    (
        "bag_of_words.npz: documents by words (CSR: indptr, words, counts); where long documents"
        " were read in sections, a row for each section,"
    ),
    (
        "those of document d from first_row[d] to first_row[d + 1] - 1. topics.npz: the listed"
        " weights of each topic, and the floor"
    ),
    (
        "of all other words. assignments.npz: the topic, and its certainty times 255, of each pair"
        " of the bag of words; tokens of each"
    ),
    (
        "topic in each document. documents.csv: where each document came from, and the sha256 of"
        " its text."
    ),
)
_SHUT = (
    "The texts are under embargo, or may not be shared, so the bag of words is not here: only who"
    " has the texts can train this run again."
)


def _about(run: Run, shut: bool) -> tuple[str, ...]:
    """What the README says first. shut: without the bag of words."""
    if shut:
        return (_SHUT, *_FILES)
    if run.begins:
        return (_FIRST_TOPICS_MISSING, *_FILES)
    return (_HOW_TO_TRAIN, *_FILES)


def _facts(source: tables.ExportSource) -> dict:
    run = source.run
    return {
        "format": FORMAT,
        "vocabulary size": run.version.vocabulary,
        "seeds": _seeds(run),
        "begins": run.begins,  # with the topics of another run
        "reading": run.corpus.settings | run.version.settings,
        "files": [
            {"name": f.name, "bytes": f.bytes, "sha256": f.sha256} for f in run.corpus.files.all()
        ],
    } | provenance.made_by(run)


def _seeds(run: Run) -> dict[str, list[int]] | None:
    """Topics that were named beforehand, as columns of the bag of words and the number of the topic
    of each; None where none were."""
    topics = Steering.of_run(run).named
    if not topics:
        return None
    seeds = named_topics.in_bag(run.version, topics, Model(run).evidence.section_bow)
    return {name: part.tolist() for name, part in seeds._asdict().items()}
