"""The topics that a made corpus was drawn from, a file beside its other files."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inference.simulate import Truth
from webapp.models import Corpus
from webapp.platform.storage import files, sealed

FILE = "truth.npz"  # in the corpus's folder; webapp.service.operations.backup knows it


@dataclass(frozen=True)
class MadeSettings:
    """What a made corpus is drawn by: arguments of inference.simulate.corpus, in words.

    alpha: the mean of the topics' alpha_k. varied: each alpha_k is drawn from Gamma(2, alpha / 2),
    as paper 004 does; else all are alpha.
    """

    documents: int = 2000
    topics: int = 10
    vocabulary: int = 500
    length: float = 100.0
    alpha: float = 0.1
    varied: bool = True
    eta: float = 0.05
    seed: int = 0


class Made(NamedTuple):
    """words: of beta's columns. share: float64[K], of all tokens, those expected of each topic: N_d
    theta_dk."""

    settings: MadeSettings
    words: list[str]
    truth: Truth
    share: np.ndarray


def path(corpus: Corpus) -> Path:
    """Where the true topics of a corpus of simulated texts are; of another corpus there is no such
    file."""
    return files.corpus_folder(corpus.pk) / FILE


def exists(corpus: Corpus) -> bool:
    """Whether the texts of a corpus are simulated, and their true topics kept."""
    return sealed.exists(path(corpus))


def write_file(target: Path, simulated: Made) -> None:
    """Write true topics and mixtures as arrays (npz)."""
    with target.open("wb") as file:
        np.savez(
            file,
            **simulated.truth._asdict(),
            share=simulated.share,
            words=np.array(simulated.words),
            settings=np.array(json.dumps(asdict(simulated.settings))),
        )


def read(corpus: Corpus) -> Made:
    """Raises FileNotFoundError where the corpus was not made."""
    with sealed.hold(path(corpus)), np.load(path(corpus), allow_pickle=False) as file:
        settings = json.loads(str(file["settings"]))
        return Made(
            settings=MadeSettings(**settings),
            words=file["words"].tolist(),
            truth=Truth(*(file[name] for name in Truth._fields)),
            share=file["share"],
        )
