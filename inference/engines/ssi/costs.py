"""What a training costs, before it is made: seconds, and bytes of memory and disk."""

import numpy as np

from inference.engines import arena, from_documents
from inference.engines.contract import TrainingCorpus
from inference.engines.ssi.counting import EntryTypes, entry_types, table_fits, wide_words
from inference.engines.ssi.published import AVERAGED_FROM
from inference.engines.ssi.settings import Resolved
from inference.kernels import frank_wolfe, gibbs
from inference.kernels.chunks import CHUNKS
from inference.runtime.memory import DOUBLE, SINGLE

TOPIC_BYTES = 2  # of a remembered topic
MOST_OF_ONE_WORD = 0.07  # part of all tokens that one word has, at the most: "the" in English
# Seconds of the processor a token in a pass, at MEASURED_TOPICS topics: in the warm-up; in the
# first pass of sampling, in which documents are new; and in each later one
# (docs/measurements/engines/ssi.md, "Seconds beforehand"; `python -m benchmarks.estimates`)
WARM_UP_SECONDS = 0.45e-6
FIRST_PASS_SECONDS = 0.57e-6
LATER_PASS_SECONDS = 0.14e-6
MEASURED_TOPICS = 100  # fewer do not make a pass shorter
TOPICS_POWER = 0.41  # more topics cost as this power of them
# Passes until topics have settled: Reuters and the example, K = 20 to 2000, made 25 to 40
USUAL_PASSES = 35
# Part of a training that one thread does alone (`python -m benchmarks.cores`)
SERIAL_PART = 0.03
# Topics with an entry in a word's row, at K = 100 and 100 tokens a word; and how many times as many
# there are while all fades
ENTRIES_OF_WORD = 12
TIMES_ENTRIES_FADING = 6
# Of all rows, which may be half empty and are copied when they are compacted; with a mean of
# states, whose rows are longer, and which is copied at each end of a pass
COPIES = 4
COPIES_WITH_MEAN = 8
# Arrays with a number for each word, for each topic, and for each topic in a chunk of OPE
ARRAYS_OF_WORDS = 4
ARRAYS_OF_TOPICS = 4
OPE_ARRAYS = 10


def expected_passes(config: Resolved) -> int:
    """How many passes a training usually makes."""
    return min(config.passes, USUAL_PASSES) if config.until == "settled" else config.passes


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs what the entries of its word and document cost, which grow slowly with K; and
    more in the first passes. Where statistics fade, a document is new at each visit."""
    passes = expected_passes(config)
    warming = 0
    new = passes
    if config.remembers:
        warming = min(config.warm_up, passes)
        new = min(passes - warming, 1)
    later = passes - warming - new
    of_token = warming * WARM_UP_SECONDS + new * FIRST_PASS_SECONDS + later * LATER_PASS_SECONDS
    times_as_many = max(config.topics, MEASURED_TOPICS) / MEASURED_TOPICS
    return tokens * of_token * times_as_many**TOPICS_POWER


def times_as_fast(cores: int) -> float:
    """A training by so many cores, compared with one (Amdahl)."""
    return 1.0 / (SERIAL_PART + (1.0 - SERIAL_PART) / max(cores, 1))


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of a uint16 for each topic that a token last had; 0 where statistics decay."""
    if not config.remembers:
        return 0
    return TOPIC_BYTES * config.draws_of_token * corpus.tokens


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of the state and a step: rows of 8 bytes an entry, in an arena that may be half empty
    and is copied when it is compacted; the table of all words, or of a minibatch; what a step
    changes; and what a start by more topics, or with seeds, needs before.

    How many entries a word has is a rule fitted by hand to Reuters-21578 (K = 100, 1000, 2000) and
    the example (K = 50).
    """
    entries = arena.usual_entries(ENTRIES_OF_WORD, config.topics, corpus)
    if config.warm_up or not config.remembers:
        entries *= TIMES_ENTRIES_FADING
    in_rows = corpus.V * min(config.topics, entries)
    has_mean = config.averaged > 1 and config.passes >= AVERAGED_FROM
    copies = COPIES_WITH_MEAN if has_mean else COPIES
    arrays = copies * max(in_rows, arena.FIRST_ENTRIES)
    arrays += ARRAYS_OF_WORDS * corpus.V + ARRAYS_OF_TOPICS * config.topics
    of_training = DOUBLE * arrays + step_bytes(config, corpus)
    return int(max(of_training, _joining_bytes(config, corpus), _naming_bytes(corpus)))


def step_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of the table with what a step changes, or of the weights of a minibatch's words; and of
    OPE."""
    step_tokens = -(-corpus.tokens // corpus.steps_per_later_pass)
    if config.remembers and table_fits(config, corpus.V):
        # Draws that changed are listed as uint64, and sorted into another list
        listed = 2 * DOUBLE * step_tokens * config.draws_of_token
        size = table_bytes(config, corpus) + listed
    else:
        # Of the minibatch's words their rows in full (gibbs.dense_weights), and a sum of each block
        distinct_words = min(corpus.V, step_tokens)
        row = gibbs.table_width(config.topics)
        size = SINGLE * distinct_words * (row + row // gibbs.BLOCK)
    if config.learns_by_ope:
        of_chunks = OPE_ARRAYS * CHUNKS * config.topics
        size += SINGLE * (of_chunks + frank_wolfe.BLOCK)
    return size


def _joining_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Of a start by more topics that are joined, before there is a table: their rows with copies of
    them, and what each pair of topics loses."""
    if config.start != "joined":
        return 0
    finer_topics = from_documents.JOINED_PER_TOPIC * config.topics
    entries = TIMES_ENTRIES_FADING * arena.usual_entries(ENTRIES_OF_WORD, finer_topics, corpus)
    in_rows = corpus.V * min(finer_topics, entries)
    return int(DOUBLE * (COPIES_WITH_MEAN * in_rows + finer_topics**2))


def _naming_bytes(corpus: TrainingCorpus) -> int:
    """Of a start with seeds, before there is a table: the counts of all pairs, of which it is seen
    what occurs with seeds (engines/concepts.py)."""
    return DOUBLE * corpus.pairs if corpus.seeded else 0


def table_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Of the table as `counting.open_table` makes it, and a float32 for the sum of each block of
    counts. A seed that its prior makes frequent, late in the vocabulary, has the words before it in
    the wide part: the table is then up to four times as large. That is known where the state is
    (State.continued_corpus), not in a form."""
    types, wide = _wide_part(config, corpus)
    row = gibbs.table_width(config.topics)
    wide_bytes = np.dtype(types.wide).itemsize * wide * row
    narrow_bytes = np.dtype(types.narrow).itemsize * (corpus.V - wide) * row
    return wide_bytes + narrow_bytes + SINGLE * corpus.V * (row // gibbs.BLOCK)


def _wide_part(config: Resolved, corpus: TrainingCorpus) -> tuple[EntryTypes, int]:
    """The types of the table, and how many words are in its wide part: at the most, where nothing
    is known of single words."""
    if corpus.word_tokens is not None:
        most_draws = corpus.word_tokens * config.draws_of_token
        types = entry_types(most_draws.max(initial=0))
        return types, wide_words(most_draws, types.limit)
    draws = corpus.tokens * config.draws_of_token
    types = entry_types(MOST_OF_ONE_WORD * draws)
    return types, min(corpus.V, draws // types.limit)
