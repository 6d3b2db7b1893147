"""The difference of a topic's shares in two sets, split over the topic's own words: their parts add
up to it exactly."""

import numpy as np

from inference.answers.words import answer_words
from inference.explore import keyness
from inference.index import word_units
from inference.index.query import EXACT, Piece
from inference.text.joined_words import joins_pieces
from webapp.analysis.keyness.queries import PER_WORDS, described
from webapp.analysis.keyness.shapes import TopicSplit, WordPart
from webapp.analysis.two_sets import compared_sets
from webapp.analysis.two_sets.word_contrast import LEAST_DOCUMENTS, Computed, Contrast
from webapp.core.documents import search, wording
from webapp.core.results import evidence, links
from webapp.core.runs.names import spelling
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Word

WORDS_OF_DIRECTION = 25  # words of either direction


def split(contrast: Contrast, topic: int, asker: int | None) -> TopicSplit:
    """asker: the user who asks. Raises as Contrast.computed does."""
    computed = contrast.computed(asker)
    view = contrast.base.view
    rates = _Rates(contrast, topic)
    directions = [rates.larger_in_first, rates.larger_in_second]
    words_listed = np.concatenate([words[:WORDS_OF_DIRECTION] for words in directions]).tolist()
    texts = spelling(view.run.version_id, words_listed)
    terms = search.terms(contrast.base.version, texts.values())
    ratios = _ratios(contrast, computed, texts)

    def part(w: int) -> WordPart:
        ratio = ratios.get(w)
        one_sided = ratio is not None and not np.isfinite(ratio)
        return WordPart(
            word=texts[w],
            apart=float(rates.difference[w]),
            part=float(abs(rates.difference[w]) / rates.largest),
            rates=rates.of_words[:, w].tolist(),
            tokens=rates.tokens[:, w].tolist(),
            times=None if ratio is None or one_sided else 2.0**ratio,
            one_sided=one_sided,
            urls=[
                compared_sets.address(
                    side,
                    contrast.base,
                    topic=topic,
                    terms=terms[texts[w]],
                )
                for side in contrast.sides
            ],
        )

    words = []
    for direction in directions:
        words.append([part(w) for w in direction[:WORDS_OF_DIRECTION].tolist()])
    return TopicSplit(
        topic=links.topic_link(view, topic),
        sides=described(contrast, computed),
        rates=rates.of_words.sum(axis=1).tolist(),
        words=words,
        more=[max(len(direction) - WORDS_OF_DIRECTION, 0) for direction in directions],
        rest=[
            float(rates.difference[direction[WORDS_OF_DIRECTION:]].sum())
            for direction in directions
        ],
    )


class _Rates:
    """How often a topic's words are on the two sides. tokens: int64[2, V]. of_words: float64[2, V],
    in PER_WORDS words of the side. difference: float64[V], first less second."""

    def __init__(self, contrast: Contrast, topic: int):
        base = contrast.base
        labels = base.view.labels
        assigned = evidence.of(base.run)
        side = contrast.sets[: base.version.documents].astype(np.int32) - 1  # -1: on neither
        words_of_sides = np.bincount(side + 1, assigned.lengths, 3)[1:]
        documents = assigned.topic_documents.at_least(labels.merged_topics(topic), 0.0)
        is_topic = labels.rows_of([topic]) == 0
        row = np.where(is_topic, [[0], [1]], -1)
        sums = assigned.token_topics.word_sums(side[documents], row, 2, documents)
        self.tokens = sums.of_rows.astype(np.int64)
        self.of_words = PER_WORDS * self.tokens / np.maximum(words_of_sides, 1)[:, None]
        self.difference = self.of_words[0] - self.of_words[1]
        self._order = np.argsort(-np.abs(self.difference), kind="stable")

    @property
    def largest(self) -> float:
        return abs(self.difference[self._order[0]])

    @property
    def larger_in_first(self) -> np.ndarray:
        """Numbers of words, the largest difference first. A word without one is in neither."""
        return self._order[self.difference[self._order] > 0]

    @property
    def larger_in_second(self) -> np.ndarray:
        return self._order[self.difference[self._order] < 0]


def _ratios(contrast: Contrast, computed: Computed, words: dict[int, str]) -> dict[int, float]:
    """log2 of how much more the first side uses words, whatever the topic; of those alone where it
    is beyond chance. words: of the vocabulary, by number."""
    ratio_of_form = dict(zip(computed.forms.tolist(), computed.result.ratio.tolist(), strict=True))
    form_of_word = _forms_of_words(contrast, words)
    ratios = _ratios_of_several_forms(contrast, [w for w in words if w not in form_of_word])
    for w, form in form_of_word.items():
        if form in ratio_of_form:
            ratios[w] = ratio_of_form[form]
    return ratios


def _forms_of_words(contrast: Contrast, words: dict[int, str]) -> dict[int, int]:
    """The form of the index that is a word: not of one that counts other forms, too, as a stem, a
    lemma, a phrase, and a word with several writings do, nor of one whose form is a part of other
    words, as “clock” of “o'clock”."""
    version = contrast.base.version
    if version.settings.get("forms", "written") != "written":
        return {}
    forms = contrast.counted.index.forms
    has_writings = {word for _, word in wording.alike(version)}
    form_of_word = {}
    for w, word in words.items():
        matching = forms.matching(Piece(word, EXACT)).tolist()
        if matching and word not in has_writings:
            form_of_word[w] = matching[0]
    if not joins_pieces(VocabularySettings.from_dict(version.settings)):
        return form_of_word
    tokens = Word.objects.filter(version=version, number__in=form_of_word)
    return {
        w: form_of_word[w]
        for w, tokens_of_word in tokens.values_list("number", "tokens")
        if _uses(contrast, form_of_word[w]) == tokens_of_word
    }


def _uses(contrast: Contrast, form: int) -> int:
    """How often the texts of the version have a form of the index, in whatever words."""
    uses = 0
    for field in contrast.counted.index.fields["text"]:
        for documents, counts in field.lists(np.array([form], np.int32)):
            # Others were added later
            own = np.searchsorted(documents, contrast.base.version.documents)
            uses += int(counts[:own].sum())
    return uses


def _ratios_of_several_forms(contrast: Contrast, words: list[int]) -> dict[int, float]:
    """As `_ratios`, by what the bag of words has of them; these words are a family of their own."""
    if not words:
        return {}
    word_topics = evidence.of(contrast.base.run).word_topics
    pairs = [word_topics.document_counts(w) for w in words]
    postings = word_units.FormPostings(
        np.cumsum([0, *(len(documents) for documents, _ in pairs)]),
        np.asarray(np.concatenate([documents for documents, _ in pairs]), np.int32),
        np.asarray(np.concatenate([tokens for _, tokens in pairs]), np.int32),
    )
    units = contrast.sides_of_units
    places = np.arange(len(words))
    counted = word_units.count_postings(places, postings, units, LEAST_DOCUMENTS)

    def amounts_of(rows: np.ndarray) -> np.ndarray:
        return word_units.amounts(postings.some(counted.forms[rows]), units)

    answers = answer_words(units.sizes, counted.sums, amounts_of)
    result = keyness.keyness(answers, counted.sums, contrast.totals().tokens)
    beyond_chance = np.flatnonzero(result.different)
    return {words[counted.forms[i]]: float(result.ratio[i]) for i in beyond_chance.tolist()}
