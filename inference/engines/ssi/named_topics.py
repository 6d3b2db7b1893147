"""Topics that are named beforehand by seed words: an asymmetric prior of words in topics, through
the whole training (compare Jagarlamudi, Daume and Udupa 2012; Eshima, Imai and Sasaki 2024).

The prior is counted in tokens, and is called the seeds' tokens here.
"""

import numpy as np

from inference.bow import Bow
from inference.engines import arena, concepts, together
from inference.engines.contract import Seeds
from inference.engines.ssi.counting import add_counts, hold_whole_numbers
from inference.engines.ssi.phase import Phase
from inference.engines.ssi.settings import Config, Resolved
from inference.engines.ssi.state import State
from inference.errors import Invalid

EMPTY_ALPHA = 1e-30  # of a topic that gets no tokens: above 0, and never drawn
# Of the tokens of a topic's seeds (`_tokens_of_seeds`). Of less a topic of rare seeds was filled
# with other words, of more the seeds were all that a topic had (docs/engines/ssi.md)
SEED_WEIGHT = 0.1
SEED_SHARE = 0.3
SEED_SMALL = 0.5
# Times their own tokens that seeds have beforehand, at most: with more, seeds that are rare beside an
# equal share (slavery as one of 20 topics of the State of the Union: 27 times) were all that the topic
# had; with five times as much or less, common words came before them
SEED_MOST = 8.0
# Of the tokens that a named topic begins with, that its prior has in the passes of the start, too:
# without it a free topic could take the concept, and the named one another subject
NEAR_WEIGHT = 0.3


def check_seeds(config: Config) -> None:
    """Raises Invalid for learned priors: alpha would be learned of empty topics, and one eta of
    all."""
    if config.learns_priors:
        raise Invalid(
            "learn",
            "With topics that are named beforehand the priors are fixed: set “Learned priors” to"
            f" none, got “{config.learn}”.",
        )


def plant(config: Resolved, state: State, bow: Bow, seeds: Seeds) -> None:
    """Give a state its seeds before the first step: lambda_kw begins above eta for each seed w of
    topic k, by `_tokens_of_seeds`, and what is learned is added to that. bow: of all documents.

    With counts in a table it is a whole number of draws that is never taken away, so a step costs
    what it costs without seeds. Where all statistics fade, each step adds its part again (SVI, eq.
    26, with this prior in the place of eta). Topics without seeds begin as they do otherwise, but
    not with the seeds of others.
    """
    M = state.memory.shape[1]
    state.leave_table()
    state.seed_words = seeds.words
    state.seed_topics = seeds.topics
    tokens = _tokens_of_seeds(config, bow, seeds)
    state.seed_tokens = np.maximum(np.floor(tokens * M), 1.0) / M
    state.empty = seeds.empty
    state.alpha[seeds.empty] = EMPTY_ALPHA
    if config.remembers:
        hold_whole_numbers(state, bow)
    add_to_rows(state, 1.0)


def _tokens_of_seeds(config: Resolved, bow: Bow, seeds: Seeds) -> np.ndarray:
    """float64[m]: of each seed in its topic, the same for all seeds of a topic: a frequent word,
    which other topics have as well, must not outweigh the rare ones.

    Of all seeds of a topic together: SEED_WEIGHT of their tokens; and where what occurs with them
    is less than SEED_SMALL of an equal share of all tokens, up to SEED_SHARE of that share, so that
    the topic of a rare concept is not filled up with other words, but at most SEED_MOST times their
    tokens, so that it has other words at all.
    """
    K = config.topics
    tokens = bow.word_tokens[seeds.words].astype(np.float64)
    sums = np.bincount(seeds.topics, tokens, K)
    equal_share = bow.tokens / K
    concept_tokens = concepts.concept_tokens(bow, seeds.words, seeds.topics, K)
    missing = np.maximum(1.0 - concept_tokens / (SEED_SMALL * equal_share), 0.0)
    against_others = np.minimum(SEED_SHARE * equal_share * missing, SEED_MOST * sums)
    tokens_of_topic = np.maximum(SEED_WEIGHT * sums, against_others)
    seeds_of_topic = np.bincount(seeds.topics, minlength=K)
    return (tokens_of_topic / np.maximum(seeds_of_topic, 1))[seeds.topics]


def begin_with_seeds(state: State, company: concepts.SeedCompany) -> None:
    """Let named topics have their seeds, and the words that occur with these, as long as OPE
    lasts."""
    state.near_words = company.words
    state.near_topics = company.topics
    state.near_tokens = company.tokens
    add_to_rows(state, 1.0)


def add_to_rows(state: State, part: float) -> None:
    """Add a part of the seeds' tokens to the rows."""
    if len(state.seed_words):
        values = part / state.pi * state.seed_tokens
        arena.add(state, state.seed_words, state.seed_topics, values)


def add_to_counts(state: State) -> None:
    """Add the seeds' tokens to counts that were just summed up from memory: in the table, where
    they are there. The words near the seeds were of the start alone."""
    state.near_words = state.near_topics = np.zeros(0, np.int64)
    state.near_tokens = np.zeros(0)
    if not state.is_in_table:
        add_to_rows(state, 1.0)
    elif len(state.seed_words):
        draws = np.round(state.seed_tokens / state.pi).astype(np.int32)
        beforehand = together.CountChanges(
            words=state.seed_words.astype(np.int32),
            indptr=np.arange(len(draws) + 1),
            topics=state.seed_topics.astype(np.uint16),
            changes=draws,
        )
        add_counts(state, beforehand)


def renew(state: State, phase: Phase, size: float) -> None:
    """After a step in which all statistics faded, and with them the seeds' tokens: add what was
    lost of these. size: the part that was lost, as `fade` returned it."""
    add_to_rows(state, size)
    if phase.is_by_ope and len(state.near_words):
        values = NEAR_WEIGHT * size / state.pi * state.near_tokens
        arena.add(state, state.near_words, state.near_topics, values)
