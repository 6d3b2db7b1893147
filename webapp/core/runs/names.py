"""What a run's topics are called until readers name them: proposed when their snapshot is
published."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
from django.db.models.functions import Length

from inference import Evidence, Topics
from inference.explore import naming, neighbours
from inference.explore.company import Company
from webapp.core.documents import fields
from webapp.models import Run, Word
from webapp.platform.accounts import embargo
from webapp.platform.jobs.heartbeat import Heartbeat
from webapp.platform.storage import files

LEAST = (
    5  # documents of a phrase that is kept: what fewer have may tell a text that is under embargo
)


def of_words(run_id: int, topics: Topics) -> list[str]:
    """While the run trains: made of words alone, as the vocabulary has them."""
    version = Run.everything.values_list("version_id", flat=True).get(pk=run_id)
    return naming.names(topics, spelling(version, naming.candidates(topics)))


def of_texts(
    run: Run, evidence: Evidence, kinds: Company, beat: Heartbeat
) -> tuple[list[str], list[list[tuple[str, int, int]]]]:
    """(names, phrases) when training has ended. Names: made of words and phrases, as the texts
    write them; of a mixed topic of those of both subjects. Phrases of each topic, the most frequent
    first: (as the texts write it, tokens, documents of those looked at).

    Of a corpus under embargo only what every reader may see of a text is looked at.
    """
    lengths = np.zeros(evidence.bow.V, np.int32)
    words = Word.objects.filter(version=run.version_id).annotate(length=Length("word"))
    for number, length in words.values_list("number", "length").iterator():
        lengths[number] = length
    samples = []
    for sample in neighbours.samples(evidence, lengths):
        beat.check()
        samples.append(sample)
    own = naming.standing(evidence)
    sides = {k: kinds.sides[k] for k in np.flatnonzero(kinds.mixed).tolist()}
    for k, parts in sides.items():
        own[k] = list(dict.fromkeys([*own[k], *parts[0], *parts[1]]))  # whose spelling is looked up
    others = [
        w
        for sample in samples
        for phrase in (*sample.phrases, *sample.further)
        for w in phrase.words
    ]
    vocabulary = spelling(
        run.version_id, np.unique([w for some in (*own, others) for w in some]).astype(np.int64)
    )
    looked_at, phrases, texts = [], [], partial(embargo.beginnings, run.corpus)
    for sample, telling in zip(samples, own, strict=True):
        beat.check()
        every = {phrase.words: phrase for phrase in (*sample.further, *sample.phrases)}
        written = neighbours.written(
            evidence,
            sample._replace(phrases=list(every.values())),
            telling,
            vocabulary.__getitem__,
            texts,
        )
        looked_at.append((sample, written))
        forms = [
            (written.form(p.words), p.tokens, p.documents)
            for p in sample.further
            if p.documents >= LEAST
        ]
        phrases.append([row for row in forms if row[0]])
    return naming.by_coverage(
        evidence, vocabulary, looked_at, fields.who_speaks(run.version), sides
    ), phrases


def distinct(phrases: Iterable[Iterable[tuple[str, int, int]]]) -> list[str]:
    """The phrases of all topics in order; one that is written in two ways once."""
    return [
        text
        for _, text in sorted({text.lower(): text for own in phrases for text, *_ in own}.items())
    ]


def phrases_folder(run_id: int) -> Path:
    """How often each of them stands in each document (Index.postings)."""
    return files.run_folder(run_id) / "evidence" / "phrases"


def spelling(version_id: int, numbers: Iterable[int]) -> dict[int, str]:
    """The words of some numbers."""
    words = Word.objects.filter(version=version_id, number__in=[*map(int, numbers)])
    return dict(words.values_list("number", "word"))
