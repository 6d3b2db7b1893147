"""Sparse stochastic inference for LDA: Algorithm 1 with Appendix A of Mimno, Hoffman and Blei
(2012), "SSI". The engine, as engines/contract.py asks for it; README.md says what is where.

What the paper leaves open, and every deviation from it, is in docs/engines/ssi.md.
"""

from inference.engines import defaults
from inference.engines.contract import About
from inference.engines.priors import as_learned
from inference.engines.ssi.algorithm import divided, step
from inference.engines.ssi.beginning import begin, init
from inference.engines.ssi.costs import memory_bytes, remembered_bytes, seconds, times_as_fast
from inference.engines.ssi.named_topics import check_seeds, plant
from inference.engines.ssi.published import AVERAGED_FROM, fold_in, settled, topics
from inference.engines.ssi.settings import Config, Resolved
from inference.engines.ssi.state import State
from inference.engines.ssi.wording import methods
from inference.engines.together import lay_out
from inference.references import entries

__all__ = [
    "ABOUT",
    "Config",
    "NAME",
    "REVISION",
    "Resolved",
    "State",
    "begin",
    "check_seeds",
    "compiling_configs",
    "continued",
    "divided",
    "fold_in",
    "init",
    "lay_out",
    "memory_bytes",
    "methods",
    "plant",
    "priors",
    "remembered_bytes",
    "seconds",
    "settled",
    "step",
    "times_as_fast",
    "topics",
]

NAME = "ssi"
ABOUT = About(
    label="Sparse stochastic inference",
    help=(
        "LDA by sampling, for corpora of any size: here it reaches good topics fastest, also with"
        " many topics."
    ),
    purpose="The usual choice: quick and good on any corpus",
    source="Mimno, Hoffman and Blei 2012",
    papers=entries("mimno2012sparse", "hughes2016fast", "than2015dual"),
)
# 2: counts are in a dense table; 3: 100 topics or more begin with documents that are unlike each
# other
REVISION = 3

priors = as_learned
continued = defaults.fewer_passes_warm


def compiling_configs() -> list[Config]:
    """The usual settings; then both kinds of statistics, with large steps, so that pi is reset and
    `compact` is among the kernels."""
    return [
        Config(topics=2, minibatch=10, passes=AVERAGED_FROM + 1, start="documents"),
        Config(topics=2, minibatch=10, passes=20, kappa=0.51, tau0=1.0, statistics="decay"),
        Config(topics=2, minibatch=10, passes=3, learn="both", interval=2, draws=2000),
        Config(topics=2, minibatch=10, passes=1, start="joined"),
    ]
