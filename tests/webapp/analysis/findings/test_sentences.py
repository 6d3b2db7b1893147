"""Every sentence of the overview can be read aloud: rules, and that they see what they are for."""

import importlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import strip_tags
from scipy.sparse import csr_matrix

from benchmarks.insight import spoken
from inference.answers.outcome import AmountTable
from tests.webapp.topic_links import topic_link
from webapp.analysis.families.family_names import FamilyName
from webapp.analysis.findings import (
    families_by_group,
    sentence_writer,
    sentences,
    time_sentences,
)
from webapp.analysis.findings.interval_shapes import RatioBetween, ShareBetween
from webapp.analysis.findings.kinds import KINDS, no_difference
from webapp.analysis.findings.kinds.caution import Repeated, ThinTimes, TopicsCaution
from webapp.analysis.findings.kinds.change import ChangeItem
from webapp.analysis.findings.kinds.event import Event, EventItem
from webapp.analysis.findings.kinds.family import Family
from webapp.analysis.findings.kinds.keywords import Keywords
from webapp.analysis.findings.kinds.mark import MarkItem
from webapp.analysis.findings.kinds.sense import Sense
from webapp.analysis.findings.name_counts import NameCheck, NameCounts
from webapp.analysis.findings.over_time import SpanAsker, is_nearly_counted
from webapp.analysis.findings.river import River, say_few_words
from webapp.analysis.findings.screen import (
    change_lines,
    first_sentences,
    overview_screen,
    who_speaks,
)
from webapp.analysis.findings.screen.axis import Axis
from webapp.analysis.findings.screen.group_tables import group_tables
from webapp.analysis.findings.screen.word_lines import word_lines
from webapp.analysis.findings.sentence_writer import SentenceWriter
from webapp.analysis.findings.spans_and_groups import OfGroup, Shaped
from webapp.core.documents import sums
from webapp.core.documents.selection import Selection
from webapp.core.results import labels, links
from webapp.core.results.view import RunView
from webapp.models import Topic
from webapp.platform.drawing.numbers import number_with_words

pytestmark = pytest.mark.django_db

TOPIC = {"name": "Navy & ships"}


FALLING = [0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05, 0.02]  # a share in equal steps of time


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ([TOPIC, ": 13% of the words from 1946 to 1985, 0.3% before and after"], []),
        ([TOPIC, ": 13%, 12%, 11% and 10%"], ["4 numbers"]),
        ([TOPIC, ": ÷12 of the first"], ["“÷”", "“of the first”"]),
        ([{"name": "Navy, ships"}, " rises"], ["a comma within “Navy, ships”"]),
        ([TOPIC, ": most with “texas”"], ["“with”"]),
        (["on 14 March 2016 " + "word " * 22], ["26 words"]),
        ([TOPIC, ": 13% of the words from 14 to 30 March 2016, 1% before, 2% after"], []),
        (["man · industrial · wage, " + "word " * 21], []),
    ],
)
def test_rules_see_what_they_are_for(parts, wrong):
    assert spoken.faults(parts) == wrong


@pytest.mark.parametrize(
    "module", [importlib.import_module(kind.__module__) for kind in KINDS.values()]
)
def test_no_kind_of_sentence_has_a_riddle_even_where_no_example_has_it(module):
    patterns = [
        text for name, text in vars(module).items() if name.isupper() and isinstance(text, str)
    ]
    riddles = {text for text in patterns for riddle in spoken.RIDDLES if riddle in text}
    # What stands beside a sentence in brackets may say how sure it is
    assert riddles <= {no_difference.OF_UNITS}


@pytest.mark.parametrize("query", [{}, {"detail": "more"}, {"from": "1795"}])
def test_sentences_can_be_read_aloud(trained, client, query):
    page = client.get(reverse("run_overview_json", args=[trained.pk]), query).json()
    assert page["findings"]
    broken = [(line, faults) for line, faults in spoken.lines(page) if faults]
    assert not broken


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (True, "It: 13% of the words from 1946 to 1985, 0.7% before and after"),
        (False, "It: 0.7% of the words from 1946 to 1985, 13% at other times"),
    ],
)
def test_less_in_a_window_is_compared_with_all_other_times(more, sentence):
    """Before or after it there may be as little: only both together have more."""
    shares = (0.13, 0.007) if more else (0.007, 0.13)
    window = Shaped(first="1946", last="1985", shape="window", more=more)
    parts = time_sentences.changed(window, ["It"], shares, "words", "", ("1790", "2020"))
    assert "".join(parts) == sentence


@pytest.mark.parametrize(
    ("shape", "more", "shares", "sentence"),
    [
        ("window", True, (0.13, 0), "13% of the words from 1946 to 1985, none before or after"),
        ("window", False, (0, 0.13), "none of the words from 1946 to 1985, 13% at other times"),
        ("step", True, (0.13, 0), "13% of the words since 1946, none before"),
        ("step", False, (0, 0.13), "13% of the words until 1945, none since"),
    ],
)
def test_nothing_is_none_and_not_0_percent(shape, more, shares, sentence):
    change = Shaped(first="1946", last="1985", until="1945", shape=shape, more=more)
    parts = time_sentences.changed(change, ["It"], shares, "words", "", ("1790", "2020"))
    assert "".join(parts) == f"It: {sentence}"


SAME = Shaped(
    first="2013-10",
    last="2019-06",
    until="2013-09",
    shape="window",
    more=True,
    counted_shares=(0.44, 0.012),
    same="maintainer",
)


@pytest.mark.parametrize(
    ("change", "shares", "whose", "sentence"),
    [
        (
            SAME,
            (0.44, 0.23),
            "",
            "44% of the words from October 2013 to June 2019, 1.2% before and after (23% in texts"
            " of the same maintainers)",
        ),
        (
            SAME,
            (0.44, 0.23),
            "Guillem Jover",
            "44% of the words from October 2013 to June 2019, 1.2% before and after (23% for"
            " the same maintainers), mostly from Guillem Jover",
        ),
        (
            replace(SAME, same="handle"),
            (0.44, 0.0),
            "",
            "44% of the words from October 2013 to June 2019, 1.2% before and after (none in texts"
            " of the same “handle”)",
        ),
        (
            replace(SAME, shape="step"),
            (0.2, 0.012),
            "",
            "44% of the words since October 2013 (20% in texts of the same maintainers), 1.2%"
            " before",
        ),
        (
            replace(SAME, shape="step", more=False, counted_shares=(0.012, 0.44)),
            (0.012, 0.2),
            "",
            "44% of the words until September 2013 (20% in texts of the same maintainers), 1.2%"
            " since",
        ),
        (
            replace(SAME, shape="line", turn="2012", early="2003"),
            (0.44, 0.23),
            "",
            "rising from 1.2% of the words until 2003 (23% in texts of the same maintainers) to 44%"
            " since 2012",
        ),
        (
            replace(SAME, same=""),
            (0.44, 0.0121),
            "",
            "44% of the words from October 2013 to June 2019, 1.2% before and after",
        ),
    ],
)
def test_shares_are_said_as_they_were_counted(change, shares, whose, sentence):
    """“23% before and after” stood above a curve that was near 0 before and after."""
    parts = time_sentences.changed(
        change, ["It"], shares, "words", whose, ("1995", "2026"), FALLING[::-1]
    )
    assert "".join(parts) == f"It: {sentence}"
    assert not spoken.faults(parts)


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ((0.13, 0.0004), "13% of the words since 1946, hardly any before"),
        ((0.13, 0.0006), "13% of the words since 1946, 0.1% before"),
        ((0.0004, 0.0001), "<0.1% of the words since 1946, <0.1% before"),
    ],
)
def test_a_share_of_nearly_nothing_is_hardly_any(shares, sentence):
    step = Shaped(first="1946", last="1985", until="1945", shape="step", more=True)
    parts = time_sentences.changed(step, ["It"], shares, "words", "", ("1790", "2020"))
    assert "".join(parts) == f"It: {sentence}"


def test_a_family_names_as_many_topics_as_can_be_read_aloud(trained):
    run = RunView(trained)
    writer = SentenceWriter(Selection.read(QueryDict(""), run), {})
    topics = list(range(trained.topics))
    family = Family(score=1, estimate=0.1, low=0.09, high=0.11, topics=topics, name="Navy & ships")
    assert len(_topics_named(family.say(writer))) == 3
    long_name = "House of Commons " * 4
    family = replace(family, name=long_name)
    said = family.say(writer)
    assert 1 <= len(_topics_named(said)) < 3
    assert f"{trained.topics - len(_topics_named(said))} more topics" in said.parts[-1]


@pytest.mark.parametrize(
    ("name", "has_name", "words", "sentence"),
    [
        ("CVE · dissector · plugin", False, ["cve", "dissector"], "CVE · dissector · plugin"),
        ("CVE · dissector · plugin", False, ["cve", "patch"], "T03, above all “cve”, “patch”"),
        ("Health care", True, ["health"], "Health care, above all “health”"),
    ],
)
def test_words_that_stand_for_a_topic_are_not_said_twice(
    trained, monkeypatch, name, has_name, words, sentence
):
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    monkeypatch.setattr(writer, "topic", lambda k: topic_link(k, name, has_name))
    parts = writer.topic_above_all(3, words)
    said = "".join(part if isinstance(part, str) else part.name for part in parts)
    assert said == sentence.replace("T03", name)


def test_a_family_does_not_name_its_topics_twice(trained):
    run = RunView(trained)
    topics = list(range(trained.topics))
    families = {tuple(topics): FamilyName("Navy · Army", topics[:2]), (3,): FamilyName("Tax", [3])}
    writer = SentenceWriter(Selection.read(QueryDict(""), run), {}, families=families)
    family = Family(score=1, estimate=0.1, low=0.09, high=0.11, topics=topics)
    said = family.say(writer)
    assert said.parts[0].startswith("Navy · Army, 10% of the words; also ")
    assert [topic.number for topic in _topics_named(said)] == topics[2:5]
    alone = replace(family, topics=[3]).say(writer)
    assert "".join(alone.parts) == "Tax, 10% of the words"


@pytest.mark.parametrize(
    ("shape", "more", "first", "last"),
    [
        ("line", True, "1900", "1950"),
        ("window", True, "1912", "1919"),
        ("step", True, "1912", "1950"),
    ],
)
def test_the_documents_of_a_word_of_a_time_are_of_the_set(trained, shape, more, first, last):
    selection = Selection.read(QueryDict("from=1900&to=1950&q=peace"), RunView(trained))
    event = Event(
        score=1.0,
        estimate=20.0,
        topic=1,
        shape=shape,
        more=more,
        first="1912",
        last="1919",
        words=["war"],
        here=0.2,
        rest=0.01,
    )
    query = QueryDict(event.say(_writer_of(selection, event)).url.partition("?")[2])
    assert (query["from"], query["to"], query["q"]) == (first, last, 'peace "war"')


def test_a_word_that_is_rare_for_a_time_opens_its_page(trained):
    """It opened all documents with the word, all of which are of other times."""
    selection = Selection.read(QueryDict("from=1900&to=1950"), RunView(trained))
    rare = Event(
        score=1.0,
        estimate=0.0,
        topic=1,
        shape="window",
        more=False,
        first="1912",
        last="1919",
        words=["war"],
        here=0.0,
        rest=0.07,
    )
    said = rare.say(_writer_of(selection, rare))
    path, _, query = said.url.partition("?")
    assert path == reverse("run_word", args=[trained.pk, "war"])
    assert (QueryDict(query)["from"], said.opens) == ("1900", "Word over time")


def test_the_documents_of_a_word_of_a_group_are_of_the_set(trained):
    selection = Selection.read(QueryDict("q=peace or treaty"), RunView(trained))
    words = Keywords(
        field="president",
        value="George Washington",
        bounds=None,
        score=1.0,
        estimate=0.2,
        words=["war"],
        here=[0.2],
        rest=[0.01],
        answers=[],
    )
    query = QueryDict(words.say(_writer_of(selection, words)).url.partition("?")[2])
    assert (query["in"], query["q"]) == ("president:George Washington", '(peace or treaty) "war"')


def test_a_caution_names_as_many_topics_as_can_be_read_aloud(trained):
    Topic.objects.filter(snapshot=trained.snapshot_id).update(
        name="House of Commons & Welsh Assembly",
        name_parts=["House of Commons", "Welsh Assembly"],
    )
    labels.proposals.cache_clear()
    view = RunView(trained)
    writer = SentenceWriter(Selection.read(QueryDict(""), view), {})
    topics = list(range(5))
    mixed = TopicsCaution(
        score=1, low=0.1, high=0.1, estimate=0.1, count=11, topics=topics, what="mixed"
    )
    said = mixed.say(writer)
    assert not sentences.is_long(said.parts)
    assert 1 <= len(_topics_named(said)) < len(topics)
    assert f"{11 - len(_topics_named(said))} more" in said.parts[-1]
    labels.proposals.cache_clear()


def test_the_caution_of_repeats_leads_to_all_that_it_counts(trained):
    """It counted those that are the same, too, and led to those that are nearly the same alone."""
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    caution = Repeated(score=1, low=0.1, high=0.1, estimate=0.1, count=6)
    assert QueryDict(caution.say(writer).url.partition("?")[2])["only"] == "repeated"


def test_a_caution_leads_to_all_of_its_topics(trained):
    """Of 21 it led to the five that it named."""
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    topics = list(range(6))
    caution = TopicsCaution(
        score=1, low=0.1, high=0.1, estimate=0.1, count=6, topics=topics, what="unstable"
    )
    said = caution.say(writer)
    assert len(_topics_named(said)) < len(topics)
    assert QueryDict(said.url.partition("?")[2])["topics"] == "0,1,2,3,4,5"
    long = replace(caution, count=101, topics=[*topics, *[0] * 95])
    topics_of_link = QueryDict(long.say(writer).url.partition("?")[2])["topics"].split(",")
    assert len(topics_of_link) == 100 and topics_of_link[:6] == list("012345")


@pytest.mark.parametrize(
    ("thin", "of", "said"),
    [(1, 12, "1 of 12 years has fewer than 10"), (2, 12, "2 of 12 years have fewer than 10")],
)
def test_one_period_of_few_documents_is_spoken_of_in_the_singular(trained, thin, of, said):
    caution = ThinTimes(
        score=1, low=0.1, high=0.1, estimate=0.1, count=thin, of=of, unit="year", periods=[]
    )
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    assert "".join(caution.say(writer).parts) == f"Few documents: {said}"


def test_years_without_documents_are_not_among_those_that_are_counted(trained):
    """“10 of 229 years” of 1790 to 2020, which has 231."""
    caution = ThinTimes(
        score=1,
        low=0.1,
        high=0.1,
        estimate=0.1,
        count=10,
        of=229,
        empty=2,
        unit="year",
        periods=[],
    )
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    parts = caution.say(writer).parts
    said = "Few documents: 10 of the 229 years covered have fewer than 10"
    assert "".join(parts) == said and not spoken.faults(parts)


def _writer_of(selection, finding):
    return SentenceWriter(selection, {}, searched=finding.searched)


def test_words_of_findings_and_of_topics_without_a_name_are_looked_up_together(
    trained, monkeypatch
):
    Topic.objects.filter(snapshot=trained.snapshot_id).update(name="", name_parts=[])
    labels.proposals.cache_clear()
    looked_up = []
    for module, name in ((sentence_writer.search, "terms"), (sentence_writer.topics, "top_words")):
        read = getattr(module, name)

        def noted(view, asked, *rest, read=read):
            looked_up.append(list(asked))
            return read(view, asked, *rest)

        monkeypatch.setattr(module, name, noted)
    selection = Selection.read(QueryDict(""), RunView(trained))
    writer = SentenceWriter(selection, {}, searched=["war", "peace"])
    assert [writer.search_with(word) for word in ("peace", "war")] == ['"peace"', '"war"']
    names = [writer.topic(k).name for k in range(3)]
    assert all(names) and len(set(names)) == 3
    assert looked_up == [["war", "peace"], list(range(trained.topics))]
    labels.proposals.cache_clear()


def _topics_named(sentence):
    return [part for part in sentence.parts if not isinstance(part, str)]


def test_the_numbers_of_a_page_are_those_that_a_reader_sees():
    page = """<html><body><p>1</p><main><p>2 of 3,000 words</p><p hidden>4</p>
        <details><summary>5</summary><p>6</p></details><details open><p>7%</p></details>
        <span class="hidden">8</span><svg><title>9</title><text>1945</text></svg></main></body></html>"""
    assert spoken.numbers_shown(page) == 5


@pytest.mark.parametrize("detail", ["", "less"])
def test_the_page_shows_few_numbers(trained, client, detail):
    page = client.get(reverse("run_overview", args=[trained.pk]), {"detail": detail})
    numbers = spoken.numbers_shown(page.content.decode())
    assert 10 < numbers < spoken.NUMBERS_OF_PAGE


TIMES = 7  # that a topic's share is said to be larger


@pytest.mark.parametrize(
    ("name_inside", "check"),
    [
        (700, NameCheck(True, [])),
        # the name moves less: words of the topic that do are named, too
        (180, NameCheck(True, ["agreements"])),
        (150, NameCheck(False, [])),  # it hardly moves
        (40, NameCheck(False, [])),  # the texts have less of it
    ],
)
def test_what_the_texts_contradict_by_the_topics_name_is_not_told(name_inside, check):
    """Whoever reads that Trade is seven times as large takes it that trade was spoken of so much
    more."""
    labels = SimpleNamespace(label=lambda k: "", parts_of_name=lambda k: ("Trade",))
    evidence = SimpleNamespace(lengths=np.full(2, 10_000))
    names = NameCounts(SimpleNamespace(topics=1), labels, evidence, np.ones(1, bool))
    names.spelling = {0: "trade", 1: "agreements"}
    names.standing_words = [[1]]
    both = np.arange(2)
    counts = {(0,): np.array([name_inside, 100.0]), (1,): np.array([700.0, 100.0])}
    names.uses = lambda part: (both, counts[part])
    inside = np.array([True, False])
    assert names.check_name(0, both, inside, ~inside, math.log(TIMES)) == check


WINDOW = (10, 15)  # of thirty periods


@pytest.mark.parametrize(
    ("before", "within", "after", "is_window"),
    [
        (8, 2, 8, True),
        (2, 2, 8, False),  # a step
        (8, 2, 2, False),
        (2, 8, 2, True),
        (8, 8, 2, False),
    ],
)
def test_a_window_differs_from_the_time_before_it_and_from_that_after_it(
    before, within, after, is_window
):
    """Of both together, less was told of times that had as little as those before them."""
    group = np.repeat(np.arange(30), 10)
    first, last = WINDOW
    amounts = np.select([group < first, group > last], [before, after], within).astype(float)
    outcome = AmountTable(csr_matrix(amounts[:, None]), np.full(len(group), 100.0))
    spans = SimpleNamespace(outcome=outcome, position=group)
    asker = SpanAsker(SimpleNamespace(spans=spans, calendar=SimpleNamespace(group=group)), str)
    more = within > min(before, after)
    assert asker.is_apart(0, first, last, more) == is_window


@pytest.mark.parametrize(
    ("used", "told"),
    [
        ([(16, 30)], ("step", 16, 29, True)),  # none before: it came
        ([(0, 10)], ("step", 10, 29, False)),  # none since: it went
        ([(0, 5), (20, 30)], ("window", 10, 15, False)),
        ([(0, 5), (12, 13), (20, 30)], ("window", 10, 15, False)),
        ([(29, 30)], ("window", 29, 29, True)),  # what the last period alone has is no step
    ],
)
def test_a_time_without_any_reaches_to_where_there_is_some(used, told):
    """ "Rare from 1885 to 1912" was said of a word that no text before 1933 has."""
    first, last = WINDOW
    group = np.repeat(np.arange(30), 10)
    amounts = np.zeros(len(group))
    for begin, behind in used:
        amounts[(group >= begin) & (group < behind)] = 1.0
    outcome = AmountTable(csr_matrix(amounts[:, None]), np.full(len(group), 100.0))
    spans = SimpleNamespace(outcome=outcome, position=group)
    asker = SpanAsker(SimpleNamespace(spans=spans, calendar=SimpleNamespace(group=group)), str)
    assert asker.reaching_to_none(0, first, last) == told


@pytest.mark.parametrize(
    ("more", "early", "said"),
    [
        (True, "1876", "It: rising from 0.1% of the words until 1876 to 3.7% since 1934"),
        (False, "1876", "It: falling from 3.7% of the words until 1876 to 0.1% since 1934"),
        (False, "", "It: falling from 3.7% of the words to 0.1%"),  # of an older program
    ],
)
def test_what_changed_all_along_has_years(more, early, said):
    """Nobody can tell where the first third of the time ends."""
    line = Shaped(
        first="1790",
        last="2020",
        shape="line",
        more=more,
        turn="1934" if early else "",
        early=early,
    )
    shares = (0.037, 0.001) if more else (0.001, 0.037)
    course = FALLING[::-1] if more else FALLING
    parts = time_sentences.changed(line, ["It"], shares, "words", "", ("1790", "2020"), course)
    assert "".join(parts) == said


@pytest.mark.parametrize(
    ("course", "said"),
    [
        # Of “Weapons & armed forces”: much in the 1940s, little in the 1970s, most in the 2000s
        ([0.0] * 25 + [0.001, 0.003] * 5 + [0.047] * 5 + [0.013] * 5 + [0.094] * 10, False),
        # Of “Indian tribes”, backwards: what goes up and down is nearly nothing
        ([0.0003, 0.0019, 0.0009, 0.0005, 0.0012, 0.013, 0.038, 0.024, 0.045, 0.075], True),
        ([0.02] * 20 + [0.015] * 20 + [0.1] * 20, True),  # a little less for a while
        ([None, 0.01, None, 0.02, 0.03, None, 0.05, 0.06, 0.09], True),
        ([], False),
    ],
)
def test_rising_is_said_only_of_what_rises_all_along(course, said):
    assert time_sentences.is_all_along(course, more=True) == said
    assert time_sentences.is_all_along(course[::-1], more=False) == said
    line = Shaped(first="1790", last="2020", shape="line", more=True, turn="1934", early="1876")
    parts = time_sentences.changed(
        line, ["It"], (0.046, 0.0001), "words", "", ("1790", "2020"), course
    )
    plain = "It: 4.6% of the words since 1934, hardly any until 1876"
    rising = "It: rising from hardly any of the words until 1876 to 4.6% since 1934"
    assert "".join(parts) == (rising if said else plain)
    item = event_item(shape="line", more=True)
    row = SimpleNamespace(rank=0, items=[item], line=course)
    (word,) = word_lines([row], Axis(1800.0, 1900.0))
    assert word.when == ("rising" if said else "more at the end")


@pytest.mark.parametrize(
    ("begins", "ends", "said"),
    [
        ("", "", "50% of its documents until 1880, to {} in 52% since 1938"),
        ("1816", "1999", "50% of its documents from 1816 to 1880, to {} in 52% from 1938 to 1999"),
    ],
)
def test_a_changed_use_is_said_of_the_time_for_which_it_holds(trained, begins, ends, said):
    writer = SentenceWriter(Selection.read(QueryDict(""), RunView(trained)), {})
    changed = Sense(
        score=1.0,
        estimate=0.4,
        low=0.2,
        high=0.6,
        word="military",
        gained=1,
        lost=0,
        gained_shares=(0.1, 0.52),
        lost_shares=(0.5, 0.1),
        documents_counted=(60, 60),
        until=("1880", "1880"),
        since=("1938", "1938"),
        begins=begins,
        ends=ends,
    )
    sentence = changed.say(writer)
    parts = [part if isinstance(part, str) else part.name for part in sentence.parts]
    assert "".join(parts).endswith(said.format(writer.topic(1).name))
    assert sentence.opens == "Word over time"
    (item,) = changed.items(writer)
    assert (item.begins, item.ends) == (begins, ends)


@pytest.mark.parametrize(
    ("end", "span", "said"),
    [
        (1866.0, 200.0, "1865"),
        (1866.3, 200.0, "1866"),
        (1987.5, 2.0, "June 1987"),
        (1987.0, 2.0, "December 1986"),
        (1987 + 2 / 12, 0.2, "28 February 1987"),
        (1987 + (2 * 31 + 9) / 372, 0.2, "9 March 1987"),
    ],
)
def test_the_end_of_a_third_is_said_as_the_time_is_long(end, span, said):
    assert sentences.last_before(end, span) == said


def test_a_group_of_numbers_is_said_with_the_name_of_its_field():
    party = OfGroup(field="party", value="Whig")
    assert party.in_words("in") == "in Whig"
    likes = OfGroup(field="likes", value="1236 or less", bounds=("", "1236"))
    assert likes.in_words("of") == "where likes is 1236 or less"


def event_item(**values) -> EventItem:
    whole = {
        "kind": "event",
        "word": "texas",
        "also": [],
        "topic": topic_link(1, "Texas", True),
        "first": "1840",
        "last": "1859",
        "until": "1839",
        "here": 0.1,
        "rest": 0.2,
        "sections": False,
        "counted_shares": (0.1, 0.2),
        "times": RatioBetween(ratio=2.0, low=1.5, high=3.0),
    }
    return EventItem(**whole | values)


@pytest.mark.parametrize(
    ("shape", "more", "when", "place", "width", "shares"),
    [
        ("window", True, "1840–1859", 40.0, 20.0, ("10%", "20%")),
        ("window", False, "rare 1840–1859", 40.0, 20.0, ("10%", "20%")),
        ("step", True, "since 1840", 40.0, 20.0, ("10%", "20%")),
        ("step", False, "until 1839", 0.0, 40.0, ("20%", "10%")),  # the bar ends there
        ("line", False, "falling", 0.0, 100.0, ("20%", "10%")),
    ],
)
def test_a_row_of_words_says_the_years_of_its_bar_and_its_shares(
    shape, more, when, place, width, shares
):
    item = event_item(shape=shape, more=more)
    axis = Axis(1800.0, 1900.0)
    (line,) = word_lines([SimpleNamespace(rank=0, items=[item], line=FALLING)], axis)
    assert (line.when, line.place, line.width) == (when, place, width)
    assert line.fading == (shape == "line")
    assert line.rare == (shape == "window" and not more)
    assert (line.here, line.rest) == shares


@pytest.mark.parametrize(
    ("shape", "more", "shares", "when", "said"),
    [
        ("window", False, (0.0, 0.07), "none 1840–1859", ("none", "7.0%")),
        ("step", True, (0.07, 0.0), "since 1840", ("7.0%", "none")),
        ("step", False, (0.0, 0.07), "until 1839", ("7.0%", "none")),
    ],
)
def test_a_row_of_words_says_none_where_no_document_has_the_word(shape, more, shares, when, said):
    here, rest = shares
    item = event_item(shape=shape, more=more, here=here, rest=rest, counted_shares=shares)
    (line,) = word_lines(
        [SimpleNamespace(rank=0, items=[item], line=FALLING)], Axis(1800.0, 1900.0)
    )
    assert (line.when, line.here, line.rest) == (when, *said)


def test_a_row_of_words_says_the_counted_shares():
    item = event_item(shape="step", more=True, here=0.44, rest=0.23, counted_shares=(0.44, 0.012))
    (line,) = word_lines(
        [SimpleNamespace(rank=0, items=[item], line=FALLING)], Axis(1800.0, 1900.0)
    )
    assert (line.here, line.rest) == ("44%", "1.2%")


def test_dashed_lines_are_at_the_shares_that_the_sentence_says(monkeypatch):
    """They were at what the same speakers say, over a curve of all texts."""
    drawn = []
    monkeypatch.setattr(change_lines, "strip", lambda *about: drawn.append(about))
    item = ChangeItem(
        kind="change",
        topic=topic_link(1, "Texas", True),
        shape="step",
        more=True,
        first="1850",
        last="1899",
        until="1849",
        here=ShareBetween(0.44, 0.3, 0.6),
        rest=ShareBetween(0.23, 0.1, 0.3),
        counted_shares=(0.44, 0.012),
        times=RatioBetween(ratio=2.0, low=1.5, high=3.0),
        above_all=[],
    )
    row = SimpleNamespace(rank=1, items=[item], line=[0.0, 0.4], times="", ends="")
    change_lines.change_lines([row], Axis(1800.0, 1900.0))
    (_, _, _, levels), *_ = drawn
    assert [share for *_, share in levels] == [0.012, 0.44]


def test_a_narrow_page_shows_the_clearest_words_and_counts_the_others():
    def item_of(rank: int, more: bool) -> SimpleNamespace:
        item = event_item(shape="step", more=more)
        return SimpleNamespace(rank=rank, items=[item], line=[])

    axis = Axis(1800.0, 1900.0)
    lines = word_lines([item_of(rank, rank != 2) for rank in range(1, 10)], axis)
    assert [line.row.rank for line in lines if line.clear] == [1, 3, 4, 5, 6, 7]
    all_fall = word_lines([item_of(rank, False) for rank in range(1, 10)], axis)
    assert [line.row.rank for line in all_fall if line.clear] == [1, 2, 3, 4, 5, 6]


def test_thirds_of_a_number_are_called_so():
    """ "Each retweets is compared with all other documents of every retweets" was no sentence."""

    def rows(name: str, bounds: tuple[str, str] | None, count: int) -> list[SimpleNamespace]:
        share = ShareBetween(0.2, 0.1, 0.3)
        item = MarkItem(
            kind="mark",
            field=name,
            value="13 or more",
            bounds=bounds,
            topic=topic_link(1, "Texas", True),
            more=True,
            here=share,
            rest=0.1,
            times=RatioBetween(2.0, 1.5, 3.0),
            above_all=[],
        )
        return [SimpleNamespace(items=[item], url="", sure="") for _ in range(count)]

    unit = SimpleNamespace(field=None, certainty="")
    tables = group_tables([*rows("party", None, 6), *rows("retweets", ("13", ""), 5)], unit)
    assert [table.of_number for table in tables] == [False, True]
    assert [table.further for table in tables] == [2, 2]
    assert [sum(line.clear for line in table.lines) for table in tables] == [4, 3]


@pytest.mark.parametrize(
    ("shape", "more", "span"),
    [
        ("window", True, ("1946", "1985")),
        ("window", False, ("", "")),  # most is before and after
        ("step", True, ("1946", "")),
        ("step", False, ("", "1945")),
        ("line", True, ("", "")),
    ],
)
def test_a_change_opens_the_time_with_most(shape, more, span):
    change = Shaped(first="1946", last="1985", until="1945", shape=shape, more=more)
    assert change.where_most == span


def test_the_page_draws_the_river_and_says_it_in_words(trained, client):
    url = reverse("run_overview", args=[trained.pk])
    page = client.get(url).content.decode()
    data = client.get(url[:-1] + ".json").json()
    families = [row["family"] for row in data["findings"] if row["kind"] == "family"]
    assert all(family["name"].replace("&", "&amp;") in page for family in families)
    assert ('class="river"' in page) == (len(data["river"]["totals"]) >= 8)
    assert sum(data["river"]["totals"]) == data["tokens"]
    assert " style=" not in page.partition("<main")[2], "the page's policy lets no style through"


def test_without_a_river_groups_are_rows_of_families(trained, client, monkeypatch):
    monkeypatch.setattr(River, "is_drawn", False)
    monkeypatch.setattr(
        overview_screen,
        "mixes",
        lambda selection, period, rows: families_by_group.mixes(selection, "", rows),
    )
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert 'class="river"' not in page and 'class="mix"' in page
    assert "<b>Groups</b>" in page
    shares = re.findall(r": (mostly|above all) <a [^>]*>.*?</a> \((\d+)", page)
    assert shares
    assert all((word == "mostly") == (int(share) > 50) for word, share in shares)
    assert 'class="tree"' not in page


@pytest.mark.parametrize("groups, is_drawn", [(1, False), (2, True), (24, True), (25, False)])
def test_groups_are_drawn_where_their_names_fit_the_picture(monkeypatch, groups, is_drawn):
    sums_by_genre = SimpleNamespace(
        all_tokens=np.full(groups, 100),
        topic_tokens=np.full((groups, 3), 30),
        groups=object(),
    )
    genre = SimpleNamespace(name="genre")
    monkeypatch.setattr(families_by_group.fields, "categories", lambda version: [genre])
    monkeypatch.setattr(families_by_group.sums, "of_selection", lambda selection, by: sums_by_genre)
    drawn_groups = families_by_group.drawn_groups(SimpleNamespace(version=None), "")
    assert (drawn_groups is sums_by_genre) == is_drawn


def test_without_groups_each_family_is_an_area_and_a_bar(trained, client, monkeypatch):
    monkeypatch.setattr(River, "is_drawn", False)
    monkeypatch.setattr(overview_screen, "mixes", lambda *_: None)
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert 'class="picture plain"' in page and 'class="pieces"' in page
    assert 'class="tree"' in page and "<b>Largest topics</b>" in page
    assert "too few dates to be drawn over time" in page


def test_areas_say_what_is_missing_for_another_picture(trained, monkeypatch):
    version = trained.version
    assert "have too few dates" in overview_screen.say_why_tree(version)
    monkeypatch.setattr(overview_screen.document_days, "first_and_last", lambda version: None)
    assert "no dates, and no field" in overview_screen.say_why_tree(version)
    many_groups = SimpleNamespace(name="journal", values=[f"journal {i}" for i in range(1_200)])
    monkeypatch.setattr(overview_screen.fields, "categories", lambda version: [many_groups])
    assert "“journal” divides them into 1,200 groups" in overview_screen.say_why_tree(version)
    monkeypatch.setattr(overview_screen.fields, "categories", lambda version: [])
    assert "no dates and no groups" in overview_screen.say_why_tree(version)


def test_the_largest_topic_of_a_family_is_the_visible_one_with_most_words_of_the_set(
    trained, monkeypatch
):
    """A family has its topics in the order of the run, hidden ones too."""
    view = RunView(trained)
    family = SimpleNamespace(topics=[0, 1, 2])
    tokens = np.array([90.0, 10.0, 50.0, *np.zeros(trained.topics - 3)])
    monkeypatch.setattr(labels.Labels, "is_hidden", lambda self, k: k == 0)
    monkeypatch.setattr(
        links, "topic_link", lambda view, k: topic_link(k, f"Topic {k}", has_name=True)
    )
    (topic,) = first_sentences.topics_of_families(view, [SimpleNamespace(family=family)], tokens)
    assert topic.number == 2
    assert first_sentences.join_topics([topic, topic]) == [topic, "; ", topic, "."]


def test_the_first_screen_tells_changes_of_named_topics_first():
    def change(rank: int, name: str, has_name: bool) -> SimpleNamespace:
        topic = topic_link(rank, name, has_name)
        return SimpleNamespace(rank=rank, parts=[topic, ": 8.9% of the words"], items=[])

    unnamed = change(1, "world · peace · fear", False)
    named = change(2, "Soviet Union", True)
    first, *_ = first_sentences.say_clearest([unnamed, named]).parts
    assert first.name == "Soviet Union"
    clearest = first_sentences.say_clearest([unnamed])
    assert clearest.parts[0].name == "world · peace · fear"
    assert clearest.label == "Clearest change"


@pytest.mark.parametrize(
    ("starts", "end", "label"),
    [
        ([1790.0, 1794.0], 2021.0, "When, 1790–2020"),
        ([2015.0, 2015.5], 2016.0, "When, 2015"),
        ([2015.5, 2016.25], 2016.5, "When, 2015–2016"),
    ],
)
def test_the_sentence_about_the_time_says_of_which_years_the_texts_are(starts, end, label):
    river = River([], starts, end, [], [])
    assert first_sentences.name_years(river) == label


def family_row(
    rank: int, name: str, topics: list[int], named_by: Sequence[int] = ()
) -> SimpleNamespace:
    family = SimpleNamespace(
        name=name, topics=topics, named_by=list(named_by), hue=rank, share=0.25
    )
    return SimpleNamespace(rank=rank, url=f"/{rank}", family=family)


def say_when(leader: list[float], other: list[float]) -> str:
    """The sentence about the time of two families, as plain text. leader, other: their shares in
    each of six periods of ten years from 1960 on."""
    starts = [1960.0 + 10 * i for i in range(6)]
    river = River([], starts, 2020.0, [2_000] * 6, [])
    families = [family_row(1, "Kernel", [0]), family_row(2, "Fonts", [1])]
    shares = {0: np.array(leader), 1: np.array(other)}
    first, *_ = (
        sentence.parts
        for sentence in first_sentences.first_sentences(
            families, [], [], river, None, 0.0, shares, []
        )[1:]
    )
    return "".join(part if isinstance(part, str) else part.name for part in first)


def test_a_family_is_not_said_to_be_the_topics_alone_that_it_is_called_by():
    """“Obama · ObamaCare, 33% of the words” was said of ten topics, of which the two had 7%."""
    families = [
        family_row(1, "Obama · ObamaCare", [0, 1, 2], named_by=[0, 1]),
        family_row(2, "Golf · Hotels", [3, 4], named_by=[3, 4]),
        family_row(3, "My group", [5, 6]),
    ]
    about, *_ = first_sentences.first_sentences(families, [], [], None, None, 0.0, {}, [])
    assert "".join(part if isinstance(part, str) else part.name for part in about.parts) == (
        "Obama · ObamaCare and others, 25% of the words; Golf · Hotels, 25%; My group, 25%."
    )


def test_where_one_family_leads_throughout_the_one_that_moved_most_is_told():
    flat = [0.5] * 6
    assert say_when(flat, [0.3] * 6) == "Throughout, Kernel leads."
    assert say_when([0.5, 0.5, 0.5, 0.6, 0.8, 0.8], [0.1] * 6) == (
        "Throughout, Kernel leads, from 50% until 1979 to 80% since 2000."
    )
    assert say_when(flat, [0.4, 0.4, 0.3, 0.3, 0.1, 0.1]) == (
        "Throughout, Kernel leads. Fonts fell from 40% until 1979 to 10% since 2000."
    )


def test_a_change_of_the_largest_family_is_told_by_both():
    assert say_when([0.6, 0.6, 0.3, 0.3, 0.3, 0.3], [0.4, 0.4, 0.3, 0.2, 0.6, 0.6]) == (
        "Until 1999 above all Kernel (45%), then Fonts (60%)."
    )


def say_groups(leaders: dict[str, tuple[str, float]]) -> str:
    """The sentence about groups, as plain text. leaders: of each group the family that leads, and its
    share."""
    rows = []
    for group, (family, share) in leaders.items():
        first = SimpleNamespace(family=family, width=100 * share)
        # A second family has half of what the first leaves, general talk the rest
        second = SimpleNamespace(family="Others", width=50 * (1 - share))
        rows.append(SimpleNamespace(value=group, parts=[first, second]))
    mixes = families_by_group.Mixes("genre", False, rows)
    names = sorted({family for family, _ in leaders.values()})
    families = [family_row(rank, name, [rank]) for rank, name in enumerate([*names, "Others"])]
    said = first_sentences.first_sentences(families, [], [], None, mixes, 0.0, {}, [])
    groups = next((sentence.parts for sentence in said if sentence.label == "Groups"), [])
    return "".join(part if isinstance(part, str) else part.name for part in groups)


def test_of_groups_two_are_told_in_which_two_families_lead():
    leaders = {
        "government": ("State", 0.8),
        "editorial": ("State", 0.6),
        "reviews": ("Music", 0.55),
    }
    assert say_groups(leaders) == "government: mostly State (80%). reviews: mostly Music (55%)."
    del leaders["reviews"]
    assert say_groups(leaders) == "government: mostly State (80%). editorial: mostly State (60%)."


def test_a_group_that_is_mostly_general_talk_is_not_said_to_be_about_a_family():
    leaders = {"government": ("State", 0.8), "romance": ("Church", 0.2)}
    assert say_groups(leaders) == "government: mostly State (80%)."
    del leaders["government"]
    assert say_groups(leaders) == ""


def test_the_line_below_the_heading_says_who_speaks(trained, client):
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    counts = " ".join(
        strip_tags(re.search(r'<div class="counts">(.*?)</div>', page, re.S)[1]).split()
    )
    said = re.search(r"by (\d+) presidents, most by ([\w. ]+) \((\d+)% of the words\)", counts)
    assert said, counts
    sums_by_president = sums.of_selection(
        Selection.read(QueryDict(""), RunView(trained)), "president"
    )
    words = dict(zip(sums_by_president.labels, sums_by_president.all_tokens.tolist(), strict=True))
    assert int(said[1]) == sum(number > 0 for number in words.values())
    assert max(words, key=words.get) == said[2]
    assert round(100 * words[said[2]] / sum(words.values())) == int(said[3])


def test_the_line_counts_those_who_wrote_beside_what_they_wrote_of(monkeypatch):
    """It named packages alone, though a column said who maintained each."""
    columns = [SimpleNamespace(name="package"), SimpleNamespace(name="maintainer")]
    words = {
        "package": (["nginx", "samba"], [30, 70]),
        "maintainer": (["A", "B", "C"], [40, 0, 60]),
    }

    def sums_of(_selection, name):
        labels, tokens = words[name]
        return SimpleNamespace(labels=labels, all_tokens=np.array(tokens))

    monkeypatch.setattr(who_speaks.sums, "of_selection", sums_of)
    monkeypatch.setattr(who_speaks.fields, "categories", lambda _version: columns)
    monkeypatch.setattr(who_speaks.fields, "names", lambda _version: [])
    unit = SimpleNamespace(field=columns[0])
    monkeypatch.setattr(who_speaks.corpus_unit, "unit_of", lambda _version: unit)
    selection = SimpleNamespace(
        version=None, has_conditions=False, corpus=SimpleNamespace(embargo=False)
    )
    said = "by 2 maintainers, in 2 groups by “package”, most words in samba (70%)"
    assert who_speaks.say_who_speaks(selection) == said


def test_a_share_is_said_where_a_reader_would_divide_by_another():
    """“24% since July 2023, 4.0% before” stood beside “4.5 times”: the same packages had 5.3%."""
    assert not is_nearly_counted((0.236, 0.040), (0.236, 0.053))
    assert is_nearly_counted((0.236, 0.040), (0.236, 0.042))


def test_the_line_names_nobody_under_embargo_nor_where_one_speaks(trained, monkeypatch):
    everything = Selection.read(QueryDict(""), RunView(trained))
    monkeypatch.setattr(everything.corpus, "embargo", True)
    assert re.fullmatch(r"by \d+ presidents", who_speaks.say_who_speaks(everything))
    one_president = everything.with_value("president", "James Monroe")
    assert who_speaks.say_who_speaks(one_president) == ""


@pytest.mark.parametrize(
    ("totals", "few"),
    [
        ([40, 0, 9_000, 12_000, 11_000], [True, True, False, False, False]),
        ([2_000, 9_000, 12_000, 11_000], [False] * 4),  # enough, though less than in others
        ([200, 300, 250, 280], [False] * 4),  # few everywhere: nothing stands out
    ],
)
def test_times_with_few_words_are_told(totals, few):
    river = River([], [], 0.0, totals, [])
    assert river.few_words == few
    said = "Pale: times with fewer than 1,000 counted words."  # a quarter of the median is more
    assert say_few_words(river) == (said if any(few) else "")


def test_a_topic_without_a_name_is_its_number_with_its_words_in_brackets():
    """On the page, in the JSON and in a notebook: a list of words is no subject of a sentence."""
    topic = topic_link(31, "man · industrial · wage", False)
    said = "T31 (man · industrial · wage)"
    assert sentences.plain([topic, ": 5% of the words"], "") == f"{said}: 5% of the words."
    assert number_with_words("T31", "") == "T31"
    for template in ("run/_name.html", "run/_named.html"):
        html = render_to_string(template, {"topic": topic})
        assert " ".join(strip_tags(html).split()) == said
