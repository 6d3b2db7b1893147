"""Findings in sentences: what is stored as numbers, said with the names that topics have now, each
with the address of its passages. The sentences themselves are in
webapp.analysis.findings.sentences."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from inference.explore.naming import capitalized
from webapp.analysis.findings import sentences
from webapp.analysis.findings.kinds import (
    Change,
    Event,
    Family,
    Finding,
    Keywords,
    Mark,
    NoDifference,
    OfGroup,
    OutsideVocabulary,
    Repeated,
    Sense,
    Span,
    Speaker,
    ThinTimes,
    TopicsCaution,
    Unlike,
)
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.sentences import listed
from webapp.analysis.findings.shapes import Part
from webapp.core.documents.ranges import Range
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, topics
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import count, percent, topic_label

NAMED, MEMBERS = 3, 100  # topics of a family that its sentence names, and that its address does


@dataclass(frozen=True)
class Sentence:
    """parts: without the full stop. url: of its passages. topic: that it is about. sure: how sure
    it is, "95% interval 53 to 95", or nothing."""

    parts: list[Part]
    url: str
    topic: int | None = None
    sure: str = ""
    not_found_again: list[int] = field(default_factory=list)


class Writer:
    """Says the findings of one set of documents."""

    def __init__(
        self, selection: RunSelection, titles: dict[int, str], doubtful: Collection[int] = ()
    ):
        """titles: of the documents that findings name. doubtful: topics that were not found again
        with other seeds."""
        self.doubtful = doubtful
        self.selection, self.view, self.titles = selection, selection.view, titles
        self.run = self.view.run
        self._topics: dict[int, TopicLink] = {}

    def write(self, finding: Finding, others: Sequence[Finding] = ()) -> Sentence:
        """others: of the same group or time, which one sentence names together. It says of which
        topics other seeds found nothing."""
        sentence = self._write(finding, others)
        named = list(dict.fromkeys(k for one in (finding, *others) for k in claimed(one)))
        missing = [k for k in named if k in self.doubtful]
        if not missing:
            return sentence
        some = "" if missing == named else ", ".join(map(topic_label, missing)) + " "
        doubt = sentences.NOT_FOUND_AGAIN.format(topics=some)
        sure = (
            sentences.AND_DOUBT.format(sure=sentence.sure, doubt=doubt) if sentence.sure else doubt
        )
        return replace(sentence, sure=sure, not_found_again=missing)

    def _write(self, finding: Finding, others: Sequence[Finding]) -> Sentence:
        match finding:
            case Family():
                return self._family(finding)
            case Change() | Event():
                one = self.change(finding) if isinstance(finding, Change) else self._event(finding)
                several = [
                    finding,
                    *(other for other in others if isinstance(other, (Change, Event))),
                ]
                return self._together(one, several) if others else one
            case Speaker():
                return self._speaker(finding)
            case Mark():
                return self._marks(
                    [finding, *(other for other in others if isinstance(other, Mark))]
                )
            case Keywords():
                return self._keywords(finding)
            case NoDifference():
                return self._no_difference(finding)
            case Sense():
                return finding.say(self)
            case Unlike():
                return self._unlike(finding)
            case TopicsCaution():
                return self._topics_caution(finding)
            case ThinTimes():
                return self._thin(finding)
            case Repeated():
                return self._repeated(finding)
            case OutsideVocabulary():
                return Sentence(
                    fill(sentences.OUTSIDE, share=percent(finding.estimate)),
                    self.view.go("run_methods"),
                )
        assert_never(finding)

    @staticmethod
    def sentence(parts: list[Part], url: str, topic: int | None = None, sure: str = "") -> Sentence:
        return Sentence(parts, url, topic, sure)

    def called(self, finding: Change | Mark) -> TopicLink:
        """Its topic, by the words that were checked where those are not its name."""
        link = self.topic(finding.topic)
        return replace(link, name=finding.called) if finding.called else link

    def topic(self, k: int) -> TopicLink:
        """By its name; by its first words where it has none."""
        if k not in self._topics:
            link = links.topic_link(self.view, k)
            self._topics[k] = replace(
                link, name=link.name or ", ".join(topics.top_words(self.view, [k], 3)[k])
            )
        return self._topics[k]

    def _family(self, finding: Family) -> Sentence:
        named = finding.topics[:NAMED]
        more = len(finding.topics) - len(named)
        share, low, high = told_apart(finding.estimate, finding.low, finding.high)
        some = listed(
            [[self.topic(k)] for k in named],
            sentences.MORE_TOPICS.pattern(more).format(count=f"{more:,}") if more else "",
        )
        url = links.topics_url(self.run) + self.selection.address(
            topics=",".join(map(str, finding.topics[:MEMBERS]))
        )
        sure = sentences.OF_FAMILY.pattern(finding.documents).format(
            low=low, high=high, count=f"{finding.documents:,}"
        )
        pattern = sentences.NAMED_FAMILY if finding.name else sentences.FAMILY
        return Sentence(
            fill(pattern, share=share, name=finding.name, topics=some), url, named[0], sure
        )

    def change(self, finding: Change) -> Sentence:
        """A topic's change over time; topic and Time pages say it by the same words."""
        times, interval = times_as_much(finding)
        first, last = _between(finding)
        selection = self.selection.changed(
            span=(first or self.selection.first, last or self.selection.last)
        )
        return Sentence(
            self._timed(sentences.MANNERS[sentences.manner(finding)].alone, finding),
            self._documents(finding.topic, selection),
            finding.topic,
            sentences.ALONE.format(times=times, interval=interval),
        )

    def _event(self, finding: Event) -> Sentence:
        url = self._listed(self.selection.changed(q=finding.words[0], span=_between(finding)))
        return Sentence(
            self._timed(sentences.MANNERS[sentences.manner(finding)].alone, finding),
            url,
            finding.topic,
        )

    def _together(self, one: Sentence, several: Sequence[Change | Event]) -> Sentence:
        """Of nearly the same time. one: of the first alone."""
        (first, *further), manner = several, sentences.MANNERS[sentences.manner(several[0])]
        named = [self._timed(manner.first, first)]
        for finding in further:
            same = (finding.first, finding.last) == (first.first, first.last)
            named.append(self._timed(manner.further if same else manner.apart, finding))
        parts = self._timed(manner.together, first, all=listed(named))
        return replace(
            one,
            parts=parts,
            sure=sentences.FIRST_OF_SEVERAL.format(sure=one.sure) if one.sure else "",
        )

    def _timed(self, pattern: str, finding: Change | Event, **more: Sequence[Part]) -> list[Part]:
        """A change, or an event, in a pattern of MANNERS."""
        what: Part
        if isinstance(finding, Event):
            what, further = _quoted(finding.words[:1]), _quoted(finding.words[1:])
            here, rest = finding.here, finding.rest
            rows = sentences.SECTIONS if finding.sections else sentences.DOCUMENTS
        else:
            what, further = self.called(finding), ""
            here, rest, rows = finding.here[0], finding.rest[0], sentences.WORDS
        span = spanned(finding)
        return fill(
            pattern
            + (
                (sentences.WITH_IN_LIST if " (" in pattern else sentences.WITH)
                if further and not more
                else ""
            ),
            what=what,
            here=percent(here),
            rest=percent(rest),
            span=span,
            begins=capitalized(span),
            brief=spanned(finding, brief=True),
            first=sentences.period(finding.first),
            last=sentences.period(finding.last),
            until=sentences.period(finding.until) if finding.until else "",
            rows=rows,
            words=further,
            **more,
        )

    def _speaker(self, finding: Speaker) -> Sentence:
        parts = fill(
            sentences.SPEAKER_SINCE if finding.shape == "step" else sentences.SPEAKER_WINDOW,
            first=sentences.period(finding.first),
            span=spanned(finding),
            value=finding.value,
            field=finding.field,
            here=percent(finding.here),
            rest=percent(finding.rest),
        )
        return Sentence(
            parts, self._listed(self.selection.with_value(finding.field, finding.value))
        )

    def _marks(self, marks: Sequence[Mark]) -> Sentence:
        """Topics of one group, or groups of one topic, those with the largest difference first."""
        first, *further = marks
        of_topic = bool(further) and first.topic == further[0].topic
        pair = (
            sentences.OF_TOPIC
            if of_topic
            else sentences.OF_GROUP
            if first.field
            else sentences.OF_SET
        )
        named: list[Part] = []
        for mark, pattern in zip(
            marks, (sentences.MARKED_FIRST, *[sentences.MARKED_NEXT] * len(further)), strict=True
        ):
            what = mark.value if of_topic else self.called(mark)
            each = fill(pattern, what=what, here=percent(mark.here[0]), rest=percent(mark.rest))
            named = fill(sentences.COMMA, first=named, last=each) if named else each
        times, interval = times_as_much(first)
        if first.held and first.estimate is not None:
            times, interval = (
                sentences.TIMES_ALONE.format(factor=_factor(first.estimate)),
                sentences.SAME_MIX,
            )
        sure = sentences.ALONE.format(times=times, interval=interval)
        if further:
            sure = sentences.FIRST_OF_SEVERAL.format(sure=sure)
        url = self._documents(first.topic, self._in_group(first) if first.field else self.selection)
        parts = fill(
            pair[not first.more],
            value=first.value,
            field=first.field,
            topic=self.called(first),
            all=named,
        )
        return Sentence(parts, url, first.topic, sure)

    def _keywords(self, finding: Keywords) -> Sentence:
        words = ", ".join(
            (sentences.KEYWORD_NEXT if i else sentences.KEYWORD_FIRST).format(
                word=word, here=percent(here), rest=percent(rest)
            )
            for i, (word, here, rest) in enumerate(
                zip(finding.words, finding.here, finding.rest, strict=False)
            )
        )
        parts = fill(sentences.KEYWORDS, value=finding.value, field=finding.field, words=words)
        return Sentence(parts, self._listed(self._in_group(finding).changed(q=finding.words[0])))

    def _no_difference(self, finding: NoDifference) -> Sentence:
        parts = fill(
            sentences.DIFFERENT_TOGETHER if finding.together else sentences.NO_DIFFERENCE,
            field=finding.field,
            points=f"{100 * finding.estimate:.1f}",
            value=finding.value,
            topic=self.topic(finding.largest),
        )
        sure = sentences.IF_INDEPENDENT.format(units=finding.units)
        return Sentence(parts, links.topics_url(self.run) + self.selection.address(), None, sure)

    def _unlike(self, finding: Unlike) -> Sentence:
        title = self.titles.get(finding.document) or sentences.UNTITLED.format(
            number=finding.document + 1
        )
        largest = [
            fill(sentences.PART_OF_DOCUMENT, share=percent(part), topic=self.topic(k))
            for part, k in zip(finding.parts, finding.topics, strict=False)
        ]
        parts = fill(
            sentences.UNLIKE if finding.all else sentences.UNLIKE_COMPARED,
            title=title,
            topics=listed(largest),
            compared=f"{finding.compared:,}",
            overlap=percent(finding.estimate),
        )
        url = links.document_url(self.run, finding.document, f"?topic={finding.topics[0]}")
        return Sentence(parts, self.view.go.with_set(url))

    def _topics_caution(self, finding: TopicsCaution) -> Sentence:
        more = finding.count - len(finding.topics)
        parts = fill(
            sentences.TOPICS_CAUTIONS[finding.what].pattern(finding.count),
            count=f"{finding.count:,}",
            share=percent(finding.estimate),
            topics=listed(
                [[self.topic(k)] for k in finding.topics],
                sentences.MORE.format(count=more) if more else "",
            ),
        )
        return Sentence(
            parts, self.view.go("run_topics", topics=",".join(map(str, finding.topics)))
        )

    def _thin(self, finding: ThinTimes) -> Sentence:
        unit, some = sentences.UNITS[finding.unit], ", ".join(finding.periods)
        if finding.count > len(finding.periods):
            some = sentences.AND_SO_ON.format(periods=some)
        parts = fill(
            sentences.THIN_AND_EMPTY.pattern(finding.empty) if finding.empty else sentences.THIN,
            count=count(finding.count),
            all=count(finding.of),
            units=unit.other,
            unit=unit.one,
            periods=some,
            empty=f"{finding.empty:,}",
        )
        return Sentence(
            parts, self.view.go("run_time", asked=self.selection.address(by=finding.unit)[1:])
        )

    def _repeated(self, finding: Repeated) -> Sentence:
        parts = fill(
            sentences.REPEATED.pattern(finding.count),
            count=count(finding.count),
            share=percent(finding.estimate),
        )
        only = list(dict.fromkeys([*self.selection.only, "near"]))
        return Sentence(parts, self._listed(self.selection.changed(only=only)))

    def _documents(self, k: int, selection: RunSelection) -> str:
        """The documents of a set that have the topic, those with most of it first."""
        return links.documents_url(self.run, selection.with_topic(k, 1).address(by=topic_label(k)))

    def _listed(self, selection: RunSelection) -> str:
        return links.documents_url(self.run, selection.address())

    def _in_group(self, of_group: OfGroup) -> RunSelection:
        if of_group.bounds:
            return self.selection.changed(
                between=[*self.selection.between, Range(of_group.field, *of_group.bounds)]
            )
        return self.selection.elsewhere(of_group.field).with_value(of_group.field, of_group.value)


def claimed(finding: Finding) -> Sequence[int]:
    """Topics of which a finding says something that another seed may turn; what is counted in the
    texts alone is of none."""
    if isinstance(finding, Family):
        return finding.topics[:NAMED]
    return finding.subjects if isinstance(finding, (Change, Mark)) else finding.claimed


def times_as_much(finding: Change | Mark) -> tuple[str, str]:
    """How many times as much, and its interval; of less by how much it is divided: "÷12", "95%
    interval ÷9 to ÷16"."""
    ratio, low, high = finding.estimate, finding.low, finding.high
    if ratio is None:  # of nothing
        return sentences.AT_LEAST_TIMES.format(factor=_factor(low or 0.0)), sentences.BOUND
    if not ratio:
        return sentences.AT_LEAST_DIVIDED.format(factor=_factor(1 / (high or 1.0))), sentences.BOUND
    both = (low or 0.0) < 1 < (high or math.inf)
    ends = _end(low or 0.0, both), _end(high, both)
    if ratio >= 1:
        times = (
            sentences.TWICE
            if _factor(ratio) == "2"
            else sentences.TIMES.format(factor=_factor(ratio))
        )
    else:
        times, ends = _end(ratio, both), ends[::-1]
    return times, sentences.INTERVAL.format(low=ends[0], high=ends[1])


def _end(ratio: float | None, signed: bool) -> str:
    """Of an interval, None where nothing bounds it; below one by how much it is divided. signed:
    whether others are on the other side of one."""
    if ratio is None:
        return sentences.ANY_NUMBER
    if ratio >= 1 or _factor(1 / max(ratio, 1e-9)) == "1":
        factor = _factor(max(ratio, 1.0))
        return sentences.MULTIPLIED.format(factor=factor) if signed and factor != "1" else factor
    return sentences.DIVIDED.format(factor=_factor(1 / ratio)) if ratio else sentences.NOTHING


def _between(finding: Change | Event) -> tuple[str, str]:
    """When there is most of it, as addresses have it."""
    step = (finding.first, "") if finding.more else ("", finding.until)
    return {"window": (finding.first, finding.last), "line": ("", "")}.get(finding.shape, step)


def told_apart(*shares: float) -> list[str]:
    """An estimate and the ends of its interval, all with a decimal where one of the ends would be
    written as the estimate."""
    estimate, *ends = [percent(share).replace(".0%", "%") for share in shares]
    return [percent(x) if estimate not in ends or x < 0.1 else f"{100 * x:.1f}%" for x in shares]


def spanned(finding: Span, brief: bool = False) -> str:
    """When a finding lasts: "in 1973", "between 1973 and 1985", "from March to June 2011", "from 14
    March to 3 July 2016"; brief: "1973–1985", "14 March–3 July 2016"."""
    first, last = sentences.period(finding.first), sentences.period(finding.last)
    if first == last:
        on = sentences.ON_DAY if len(finding.last) == 10 else sentences.IN_PERIOD
        return first if brief else on.format(first=first)
    between, from_to = (sentences.DASH,) * 2 if brief else (sentences.BETWEEN, sentences.FROM_TO)
    if len(finding.last) == 4:
        return between.format(first=first, last=last)
    (begins, year), (_, other) = first.rsplit(" ", 1), last.rsplit(" ", 1)
    return from_to.format(first=begins if year == other else first, last=last)


def _factor(x: float) -> str:
    return (f"{x:.0f}" if x >= 9.95 else f"{x:.1f}").removesuffix(".0")


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(sentences.WORD.format(word=word) for word in words)
