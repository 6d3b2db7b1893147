"""Make a corpus from known topics, and keep them beside it."""

import csv
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import transaction

from inference import Bow, simulate
from inference.kernels import rng
from inference.runtime.durable import settle
from webapp.core.simulate import truth
from webapp.intake.ingest import corpora, guesses
from webapp.models import Corpus, User
from webapp.platform.storage import files

SHAPE = 2.0  # of the Gamma distribution of alpha: paper 004, section 3.1


def draw(chosen: truth.MadeSettings) -> tuple[Bow, truth.Made]:
    """Draw the documents. Raises Invalid."""
    K = chosen.topics
    alpha = (SHAPE, chosen.alpha / SHAPE) if chosen.varied else np.full(K, chosen.alpha)
    bow, drawn = simulate.corpus(
        chosen.documents, K, chosen.vocabulary, chosen.length, alpha, chosen.eta, seed=chosen.seed
    )
    return bow, truth.Made(
        chosen,
        simulate.words(chosen.vocabulary),
        drawn,
        np.diff(bow.first_token) @ drawn.theta / max(1, bow.tokens),
    )


def write_csv(path: Path, bow: Bow, made: truth.Made) -> None:
    """A CSV of id, title and text. A document's words stand in no order of meaning: the model knows
    none."""
    words = np.array(made.words)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "title", "text"])
        for d in range(bow.D):
            row = slice(bow.indptr[d], bow.indptr[d + 1])
            tokens = np.repeat(bow.words[row], bow.counts[row])
            order = (
                rng.permutation_slice(0, len(tokens), len(tokens), np.uint64(d))
                if len(tokens)
                else []
            )
            out.writerow(
                [f"made-{d}", f"Simulated document {d + 1}", " ".join(words[tokens[order]])]
            )


def create(
    chosen: truth.MadeSettings, owner: User | None = None, name: str = "", train: bool = False
) -> Corpus:
    """A corpus of simulated texts, queued for reading with settings that keep all its words; by
    default the local owner's. train: a run with as many topics follows by itself. Raises
    Invalid."""
    bow, made = draw(chosen)
    copy = settings.FILE_UPLOAD_TEMP_DIR / f"made-{os.getpid()}-{os.urandom(6).hex()}"
    write_csv(copy, bow, made)
    name = (
        name.strip()
        or f"Simulated texts: {chosen.topics:,} topics, {chosen.documents:,} documents, seed {chosen.seed}"
    )
    with transaction.atomic():
        files.storing()
        corpus = corpora.create(name, [corpora.ReceivedFile("made.csv", copy)], owner)
        truth.write_file(truth.path(corpus), made)
        settle(files.corpus_folder(corpus.pk))
        reading = corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options),
            min_documents=1,
            spread_evenly=True,
            section_words=0,
            min_length=1,
        )
        corpora.read(corpus, reading, trains={"topics": chosen.topics} if train else None)
    return corpus
