"""Training another person's run again from its bundle (webapp.service.exports.bundle), and
comparing it bit for bit."""

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference import engines
from inference.bow import Bow, Postings
from inference.engines.contract import AnyEngine, Config, Revised, Seeds
from inference.errors import Invalid, number_of
from inference.evidence import gather, open_evidence
from inference.runtime.versions import versions
from inference.topics import Topics
from inference.training import Snapshot, fold_in_corpus, plant, train

FORMAT = 1
BAG = "bag_of_words.npz"
FIRST_TOPICS_MISSING = (
    "This run began with the topics of another run, which are not in its bundle. It can't be"
    " trained again from here."
)


class Finding(NamedTuple):
    """Something that was compared: whether it is the same, bit for bit, and what was compared, in
    words."""

    same: bool
    what: str


def verify(path: Path) -> Iterator[Finding]:
    """Findings, as they come. Raises Invalid for a file that is no bundle, one without its bag of
    words, and one of a run that began with the topics of another."""
    facts, stored_arrays = _read(path)
    if _began_with_another(facts):
        raise Invalid("bundle", FIRST_TOPICS_MISSING)
    bow = Bow(
        stored_arrays["indptr"],
        stored_arrays["words"],
        stored_arrays["counts"],
        facts["vocabulary size"],
        first_row=stored_arrays.get("first_row"),
    )
    yield Finding(
        bow.digest == facts["corpus digest"],
        f"the bag of words: {number_of(bow.D, 'document')}, {number_of(bow.tokens, 'word')}",
    )
    config = engines.config(facts["engine"], **facts["settings"])
    engine = engines.get(facts["engine"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state = _planted(facts, engine, config, bow, folder)
        resume_options = {"seed": facts["seed"], "last": facts["steps"], "scratch": folder}
        *_, last = train(engine, config, bow, resume=state, **resume_options)
        assert isinstance(last, Snapshot)  # the last event always is
        topics = last.topics
        yield Finding(last.step == facts["steps"], f"the number of steps: {last.step:,}")
        yield Finding(
            _same_topics(topics, stored_arrays),
            f"every weight of the {number_of(topics.K, 'topic')}",
        )
        Postings.write(folder / "by_word", bow)
        postings = Postings.open(folder / "by_word")
        thetas = fold_in_corpus(engine, config, last.state, bow)
        for _ in gather(
            folder / "evidence", bow, postings, topics, thetas, by_document=engine.ABOUT.by_document
        ):
            pass
        evidence = open_evidence(folder / "evidence", bow, postings)
        for part, names, description in (
            (
                evidence.token_topics,
                ("topics", "certainty"),
                "the topic of every word in every document, and its certainty",
            ),
            (
                evidence.mixtures,
                ("doc_ptr", "doc_topics", "doc_tokens"),
                "the tokens of every topic in every document",
            ),
        ):
            yield Finding(
                all(
                    np.array_equal(getattr(part, name), stored_arrays[f"given_{name}"])
                    for name in names
                ),
                description,
            )


def _planted(
    facts: dict[str, Any], engine: AnyEngine, config: Config, bow: Bow, scratch: Path
) -> Any:
    """The state of a run whose topics were named beforehand; None of all others."""
    if not facts.get("seeds"):
        return None
    seeds = Seeds(**{name: np.array(part, np.int64) for name, part in facts["seeds"].items()})
    resolved = config.resolve(bow.D, bow.tokens)
    return plant(engine, resolved, bow, seeds, seed=facts["seed"], scratch=scratch)


def began_with_another(path: Path) -> bool:
    """Whether a bundle is of a run that began with the topics of another."""
    return _began_with_another(_read(path, facts_alone=True)[0])


def _began_with_another(facts: dict[str, Any]) -> bool:
    """Bundles of older versions say the other run alone, and nothing where it was deleted."""
    return bool(facts.get("begins")) or facts.get("begun with the topics of run") is not None


def has_bag(path: Path) -> bool:
    """Whether a bundle has what a training reads."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return BAG in archive.namelist()


def other_engine(path: Path) -> str:
    """A sentence where the run's engine has changed since, so that it can't give the same bits;
    else ""."""
    facts = _read(path, facts_alone=True)[0]
    engine = engines.get(facts["engine"])
    engine_version = int(facts["trained with"].get("engines", 1))
    if not isinstance(engine, Revised) or engine_version >= engine.REVISION:
        return ""
    return (
        f"The run was trained by an older form of the engine {engine.NAME}, which added in another"
        " order: this version can't train it to the same bits. Use the version of Topograph that"
        " the run was trained with."
    )


def other_versions(path: Path) -> dict[str, tuple[str, str]]:
    """What differs between what the run was trained with and what is here, but engines: name ->
    (there, here)."""
    their_versions = _read(path, facts_alone=True)[0]["trained with"]
    our_versions = versions()
    del our_versions["engines"]
    return {
        name: (their_versions.get(name, "not recorded"), now)
        for name, now in our_versions.items()
        if their_versions.get(name) != now
    }


def _read(path: Path, facts_alone: bool = False) -> tuple[dict, dict[str, np.ndarray]]:
    try:
        with zipfile.ZipFile(path) as archive:
            facts = json.loads(archive.read("run.json"))
            if facts["format"] != FORMAT:
                raise Invalid(
                    "bundle",
                    f"The bundle has format {facts['format']}; this version reads {FORMAT}.",
                )
            stored_arrays: dict[str, np.ndarray] = {}
            if facts_alone:
                return facts, stored_arrays
            if BAG not in archive.namelist():
                raise Invalid(
                    "bundle",
                    "This bundle has no bag of words: its texts are under embargo, or may not be"
                    " shared. It can't be trained again from here.",
                )
            for member, before in ((BAG, ""), ("topics.npz", ""), ("assignments.npz", "given_")):
                with archive.open(member) as file, np.load(file, allow_pickle=False) as arrays:
                    stored_arrays |= {before + name: arrays[name] for name in arrays.files}
            return facts, stored_arrays
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise Invalid("bundle", f"{path} is no bundle of a run: {error}.") from None


def _same_topics(topics: Topics, stored: dict[str, np.ndarray]) -> bool:
    """A bundle's rows continue, behind the listed ones, with words that have tokens in the topic,
    at the floor's weight."""
    if not np.array_equal(topics.floor, stored["beta_floor"]):
        return False
    for k in range(topics.K):
        topic_slice = slice(topics.indptr[k], topics.indptr[k + 1])
        first = stored["beta_indptr"][k]
        end = stored["beta_indptr"][k + 1]
        listed_slice = slice(first, first + topic_slice.stop - topic_slice.start)
        rest_slice = slice(first + topic_slice.stop - topic_slice.start, end)
        if not np.array_equal(topics.words[topic_slice], stored["beta_words"][listed_slice]):
            return False
        if not np.array_equal(topics.weights[topic_slice], stored["beta_weights"][listed_slice]):
            return False
        if not (stored["beta_weights"][rest_slice] == np.float32(topics.floor[k])).all():
            return False
    return True
