"""Make a corpus from known topics, and keep them beside it."""

import csv
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import transaction

from inference import Bow, simulate
from inference.errors import number_of
from inference.kernels import rng
from inference.runtime.durable import settle
from webapp.core.simulate import truth
from webapp.intake.ingest import corpora, guesses
from webapp.models import Corpus, User
from webapp.platform.storage import files

RANDOM_BYTES = 6  # of a file's name that no other has
SHAPE = 2.0  # of the Gamma distribution of alpha: paper 004, section 3.1


def draw(design: truth.MadeSettings) -> tuple[Bow, truth.Made]:
    """Draw the documents. Raises Invalid."""
    alpha: tuple[float, float] | np.ndarray
    if design.varied:
        alpha = (SHAPE, design.alpha / SHAPE)
    else:
        alpha = np.full(design.topics, design.alpha)
    bow, drawn = simulate.corpus(
        design.documents,
        design.topics,
        design.vocabulary,
        design.length,
        alpha,
        design.eta,
        seed=design.seed,
    )
    lengths = np.diff(bow.first_token)
    share = lengths @ drawn.theta / max(1, bow.tokens)
    return bow, truth.Made(design, simulate.words(design.vocabulary), drawn, share)


def write_csv(path: Path, bow: Bow, simulated: truth.Made) -> None:
    """A CSV of id, title and text. A document's words stand in no order of meaning: the model knows
    none."""
    words = np.array(simulated.words)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "title", "text"])
        for d in range(bow.D):
            row = slice(bow.indptr[d], bow.indptr[d + 1])
            tokens = np.repeat(bow.words[row], bow.counts[row])
            if len(tokens):
                order = rng.permutation_slice(0, len(tokens), len(tokens), np.uint64(d))
                tokens = tokens[order]
            text = " ".join(words[tokens])
            writer.writerow([f"made-{d}", f"Simulated document {d + 1}", text])


def create(
    design: truth.MadeSettings,
    owner: User | None = None,
    name: str = "",
    train: bool = False,
) -> Corpus:
    """A corpus of simulated texts, queued for reading with settings that keep all its words; by
    default the local owner's. train: a run with as many topics follows by itself. Raises
    Invalid."""
    bow, truth_made = draw(design)
    unique = f"made-{os.getpid()}-{os.urandom(RANDOM_BYTES).hex()}"
    copy = settings.FILE_UPLOAD_TEMP_DIR / unique
    write_csv(copy, bow, truth_made)
    name = name.strip() or (
        f"Simulated texts: {number_of(design.topics, 'topic')},"
        f" {number_of(design.documents, 'document')}, seed {design.seed}"
    )
    with transaction.atomic():
        files.storing()
        corpus = corpora.create(name, [corpora.ReceivedFile("made.csv", copy)], owner)
        truth.write_file(truth.path(corpus), truth_made)
        settle(files.corpus_folder(corpus.pk))
        reading = corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options),
            min_documents=1,
            spread_evenly=True,
            section_words=0,
            min_length=1,
        )
        corpora.read(corpus, reading, train_settings={"topics": design.topics} if train else None)
    return corpus
