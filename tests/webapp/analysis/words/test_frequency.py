"""Whether a word became more frequent is said first, as it was counted."""

from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from webapp.analysis.findings.sentences import MOST_WORDS
from webapp.analysis.words import frequency
from webapp.core.documents import document_groups
from webapp.core.results import evidence
from webapp.models import Word

NOT_TESTED = "These are counts: whether the change is more than chance was not tested."


@pytest.mark.parametrize(
    ("words", "thirds"),
    [
        ([10, 10, 10], (0, 2)),
        ([1, 1, 100], (1 - 1, 2)),
        ([100, 1, 1], (0, 2)),
        ([10] * 9, (2, 6)),
        ([30, 5, 5, 20, 30], (0, 4)),
    ],
)
def test_periods_are_divided_where_a_third_of_the_words_is_passed(words, thirds):
    found = frequency.divide_in_thirds(np.array(words, float))
    assert tuple(found) == thirds


def mix_of(tokens: list[int], labels: list[str], in_time: bool = True) -> SimpleNamespace:
    """What the chart of a word counts: a document in each period."""
    groups = SimpleNamespace(labels=labels, group=np.arange(len(labels)), in_time=in_time)
    bins = [SimpleNamespace(group=i, tokens=count) for i, count in enumerate(tokens) if count]
    return SimpleNamespace(groups=groups, bins=bins)


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        (
            [20, 40, 10, 0],
            "“tariff” is most frequent in 1891: 40.0 in 10,000 counted words, 20.0 until 1890, none since 1893.",
        ),
        ([5, 0, 8, 2], "“tariff”: 5.0 in 10,000 counted words until 1890, 2.0 since 1893."),
        ([3, 0, 0, 2], ""),
    ],
    ids=["with a peak", "few in each year", "too few to say anything"],
)
def test_a_sentence_says_the_peak_and_both_ends(monkeypatch, tokens, sentence):
    lengths = np.full(4, 10_000)
    monkeypatch.setattr(evidence, "of", lambda run: SimpleNamespace(lengths=lengths))
    selection = SimpleNamespace(mask=None, run=None)
    mix = mix_of(tokens, ["1890", "1891", "1892", "1893"])
    said = frequency.say_frequency("tariff", mix, selection)
    assert said == sentence
    assert len(said.split()) <= MOST_WORDS
    assert frequency.say_frequency("tariff", None, selection) == ""
    by_party = mix_of(tokens, ["Whig", "Tory", "Green", "None"], in_time=False)
    assert frequency.say_frequency("tariff", by_party, selection) == ""


@pytest.mark.django_db
def test_the_page_of_a_word_says_first_whether_it_became_more_frequent(client, trained):
    """Its senses changed, the page said, and not whether it was used more."""
    word = Word.objects.get(version=trained.version_id, number=3)
    page = client.get(reverse("run_word", args=[trained.pk, word.word]), {"by": "decade"})
    shown = " ".join(strip_tags(unescape(page.content.decode())).split())
    _, _, section = shown.partition("How its senses changed over time ")
    sentence, _, behind = section.partition(f" {NOT_TESTED}")
    assert sentence.startswith(f"“{word.word}” is most frequent in the ") and behind

    decades = document_groups.read_groups(trained.version, "decade")
    found = evidence.of(trained)
    documents, counts, _, _ = found.word_topics.of_word(word.number)
    tokens = np.bincount(decades.group[documents], counts, len(decades.labels))
    lengths = np.bincount(decades.group, found.lengths, minlength=len(decades.labels))
    rates = 10_000 * tokens / np.maximum(lengths, 1)
    peak = int(np.where(tokens >= 10, rates, 0).argmax())
    assert f"in the {decades.labels[peak]}: {rates[peak]:.1f} in 10,000 counted words" in sentence
