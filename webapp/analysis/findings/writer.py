"""Findings in sentences: what is stored as numbers, said with the names that topics have now, each
with the address of its passages. The sentences themselves are in
webapp.analysis.findings.sentences."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, assert_never

from inference.explore.naming import LIST, capitalized
from webapp.analysis.answers.cautions import FEW_UNITS
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
from webapp.analysis.findings.sentences import join_parts
from webapp.analysis.findings.shapes import Part
from webapp.core.documents.ranges import Range
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, topics
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import count, level, percent, topic_label

NAMED = 3  # topics of a family, or words, that a sentence names
MEMBERS = 100  # of its address
USUAL_LEVEL = 0.95  # of intervals of changes that an older program found


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
        self,
        selection: RunSelection,
        titles: dict[int, str],
        doubtful: Collection[int] = (),
        families: Mapping[tuple[int, ...], str] = MappingProxyType({}),
        span: Sequence[str] = (),
    ):
        """titles: of the documents that findings name. doubtful: topics that were not found again
        with other seeds. families: the names of families, by their topics. span: the
        first and the last period of the documents, as readers say them."""
        self.families = families
        self.span = (*span, "", "")[:2]
        self.doubtful = doubtful
        self.selection = selection
        self.view = selection.view
        self.titles = titles
        self.run = self.view.run
        self._topics: dict[int, TopicLink] = {}

    def write(self, finding: Finding) -> Sentence:
        """It says of which topics other seeds found nothing."""
        sentence = self._write(finding)
        named = list(dict.fromkeys(claimed(finding)))
        missing = [k for k in named if k in self.doubtful]
        if not missing:
            return sentence
        some = "" if missing == named else ", ".join(map(topic_label, missing)) + " "
        doubt = sentences.NOT_FOUND_AGAIN.format(topics=some)
        sure = (
            sentences.AND_DOUBT.format(sure=sentence.sure, doubt=doubt) if sentence.sure else doubt
        )
        return replace(sentence, sure=sure, not_found_again=missing)

    def _write(self, finding: Finding) -> Sentence:
        match finding:
            case Family():
                return self._family(finding)
            case Change():
                return self.change(finding)
            case Event():
                return self._event(finding)
            case Speaker():
                return self._speaker(finding)
            case Mark():
                return self._mark(finding)
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
        """A sentence of filled parts. url: of its passages; topic: number of the topic that it is
        shown with, None for none; sure: how sure it is, in words, "" where nothing is said of
        that."""
        return Sentence(parts, url, topic, sure)

    def called(self, finding: Change | Mark) -> list[Part]:
        """Its topic, with the words that were counted where those of its name don't move so."""
        topic = self.topic(finding.topic)
        if not finding.above_all:
            return [topic]
        return fill(sentences.ABOVE_ALL, topic=topic, words=_quoted(finding.above_all))

    def topic(self, k: int) -> TopicLink:
        """By its name; by its first words where it has none."""
        if k not in self._topics:
            link = links.topic_link(self.view, k)
            words = topics.top_words(self.view, [k], 3)[k] if not link.name else []
            self._topics[k] = replace(link, name=link.name or LIST.join(words))
        return self._topics[k]

    def _family(self, finding: Family) -> Sentence:
        named = finding.topics[:NAMED]
        more = len(finding.topics) - len(named)
        share, low, high = told_apart(finding.estimate, finding.low, finding.high)
        some = join_parts(
            [[self.topic(k)] for k in named],
            sentences.MORE_TOPICS.pattern(more).format(count=f"{more:,}") if more else "",
        )
        url = links.topics_url(self.run) + self.selection.address(
            topics=",".join(map(str, finding.topics[:MEMBERS]))
        )
        sure = sentences.OF_FAMILY.pattern(finding.documents).format(
            low=low, high=high, count=f"{finding.documents:,}"
        )
        name = self.families.get(tuple(finding.topics), finding.name)
        pattern = sentences.NAMED_FAMILY if name else sentences.FAMILY
        return Sentence(fill(pattern, share=share, name=name, topics=some), url, named[0], sure)

    def change(self, finding: Change) -> Sentence:
        """A topic's change over time; topic and Time pages say it by the same words."""
        first, last = _between(finding)
        selection = self.selection.changed(
            span=(first or self.selection.first, last or self.selection.last)
        )
        url = self._documents(finding.topic, selection)
        parts = self._timed(finding, self.called(finding), finding.here[0], finding.rest[0])
        return Sentence(parts, url, finding.topic, sure(finding))

    def _event(self, finding: Event) -> Sentence:
        url = self._listed(self.selection.changed(q=finding.words[0], span=_between(finding)))
        what: list[Part] = [_quoted(finding.words[:1])]
        if finding.words[1:]:
            what = fill(sentences.ALSO, what=what, words=_quoted(finding.words[1:NAMED]))
        rows = sentences.SECTIONS if finding.sections else sentences.DOCUMENTS
        parts = self._timed(finding, what, finding.here, finding.rest, rows)
        return Sentence(parts, url, finding.topic)

    def _timed(
        self,
        finding: Change | Event,
        what: Sequence[Part],
        here: float,
        rest: float,
        rows: str = sentences.WORDS,
    ) -> list[Part]:
        """What changed, by the pattern of its shape."""
        more = finding.more or finding.shape == "window"
        change = fill(
            sentences.SHAPES[finding.shape, more],
            what=what,
            here=briefly(here),
            rest=briefly(rest),
            span=spanned(finding),
            first=sentences.period(finding.first),
            until=sentences.period(finding.until) if finding.until else "",
            rows=rows,
            outside=self._outside(finding),
        )
        if not finding.whose:
            return change
        return fill(sentences.OF_ONE, change=change, value=finding.whose)

    def _outside(self, finding: Span) -> str:
        """What the times are that a span leaves out."""
        begins = sentences.period(finding.first) == self.span[0]
        ends = sentences.period(finding.last) == self.span[1]
        if begins:
            return sentences.AFTER
        return sentences.BEFORE if ends else sentences.BEFORE_AND_AFTER

    def _speaker(self, finding: Speaker) -> Sentence:
        step = finding.shape == "step"
        since = sentences.SINCE.format(first=sentences.period(finding.first))
        parts = fill(
            sentences.SPEAKER,
            span=since if step else spanned(finding),
            value=finding.value,
            field=finding.field,
            here=briefly(finding.here),
            rest=briefly(finding.rest),
            outside=sentences.BEFORE if step else self._outside(finding),
        )
        return Sentence(
            parts, self._listed(self.selection.with_value(finding.field, finding.value))
        )

    def _mark(self, mark: Mark) -> Sentence:
        """A topic of a group, or of a set beside all other documents."""
        parts = fill(
            sentences.OF_GROUP if mark.field else sentences.OF_SET,
            topic=self.called(mark),
            here=briefly(mark.here[0]),
            rest=briefly(mark.rest),
            value=mark.value,
        )
        url = self._documents(mark.topic, self._in_group(mark) if mark.field else self.selection)
        return Sentence(parts, url, mark.topic, sure(mark))

    def _keywords(self, finding: Keywords) -> Sentence:
        """Its first word, whose shares it says, and the others."""
        what: list[Part] = [_quoted(finding.words[:1])]
        if finding.words[1:]:
            what = fill(sentences.ALSO, what=what, words=_quoted(finding.words[1:NAMED]))
        parts = fill(
            sentences.KEYWORDS,
            words=what,
            value=finding.value,
            here=briefly(finding.here[0]),
            rest=briefly(finding.rest[0]),
        )
        return Sentence(parts, self._listed(self._in_group(finding).changed(q=finding.words[0])))

    def _no_difference(self, finding: NoDifference) -> Sentence:
        pattern = sentences.NO_DIFFERENCE
        if finding.few:
            pattern = sentences.TOO_FEW
        elif finding.accepted:
            pattern = sentences.SMALL_DIFFERENCES
        parts = fill(
            pattern,
            field=capitalized(finding.field),
            units=_units(finding.unit),
        )
        sure = sentences.IF_INDEPENDENT
        if finding.unit:
            sure = sentences.OF_UNITS.format(field=finding.unit)
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
            topics=join_parts(largest),
        )
        url = links.document_url(self.run, finding.document, f"?topic={finding.topics[0]}")
        return Sentence(parts, self.view.go.with_set(url))

    def _topics_caution(self, finding: TopicsCaution) -> Sentence:
        more = finding.count - len(finding.topics)
        parts = fill(
            sentences.TOPICS_CAUTIONS[finding.what].pattern(finding.count),
            count=f"{finding.count:,}",
            share=percent(finding.estimate),
            topics=join_parts(
                [[self.topic(k)] for k in finding.topics],
                sentences.MORE.format(count=more) if more else "",
            ),
        )
        return Sentence(
            parts, self.view.go("run_topics", topics=",".join(map(str, finding.topics)))
        )

    def _thin(self, finding: ThinTimes) -> Sentence:
        parts = fill(
            sentences.THIN,
            count=count(finding.count),
            all=count(finding.of),
            units=sentences.UNITS[finding.unit].other,
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


def _units(field: str) -> str:
    """What is independent, in words. field: "" for documents."""
    if field:
        return sentences.UNITS_OF.format(field=field)
    return sentences.UNITS_ARE_DOCUMENTS


class Times(NamedTuple):
    """How many times as much, in words: "50 times", "13 times less"; and the ends of its 95% interval,
    "35 to 73", "" where there is none."""

    times: str
    ends: str


def times_as_much(finding: Change | Mark | Event) -> Times:
    """Of less by how much it is less."""
    ratio = finding.estimate
    low = finding.low
    high = finding.high
    if ratio is None:  # of nothing
        return Times(_at_least(sentences.TIMES, low or 0.0), "")
    if not ratio:
        return Times(_at_least(sentences.TIMES_LESS, 1 / (high or 1.0)), "")
    less = ratio < 1
    if less:
        ratio, low, high = 1 / ratio, 1 / high if high else None, 1 / low if low else None
    pattern = sentences.TIMES_LESS if less else sentences.TIMES
    times = pattern.format(factor=_factor(ratio))
    if low is None:
        return Times(times, "")
    ends = _factor(low), _factor(high) if high is not None else sentences.ANY_NUMBER
    return Times(times, sentences.ENDS.format(low=ends[0], high=ends[1]))


def sure(finding: Change | Mark) -> str:
    """How sure a finding is, in words: "50 times, 95% interval 35 to 73"."""
    times, ends = times_as_much(finding)
    part = finding.answer.level if finding.answer else USUAL_LEVEL
    said = times
    if ends:
        said = sentences.WITH_INTERVAL.format(times=times, ends=ends, level=level(part))
    if not isinstance(finding, Mark) or min(finding.answer.units) >= FEW_UNITS:
        return said
    units = _units(finding.answer.unit)
    return sentences.SAYS_LITTLE.format(sure=said, fewest=min(finding.answer.units), units=units)


def _at_least(pattern: str, factor: float) -> str:
    return sentences.AT_LEAST.format(times=pattern.format(factor=_factor(factor)))


def unsure(finding: Change | Event | Mark) -> bool:
    """Whether its interval holds "as much as elsewhere": then it is no change, and not told."""
    low = finding.low
    high = finding.high
    return low is not None and high is not None and low <= 1 <= high


def briefly(share: float) -> str:
    """A share in a sentence: two digits below ten per cent, whole above; never "0.0%"."""
    if not share:
        return "0%"
    if share < 0.0005:
        return "<0.1%"
    return f"{100 * share:.1f}%" if share < 0.0995 else f"{100 * share:.0f}%"


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
    """When a finding lasts: "in 1973", "from 1973 to 1985", "from March to June 2011", "from 14 March
    to 3 July 2016"; brief: "1973–1985", "14 March–3 July 2016"."""
    first = sentences.period(finding.first)
    last = sentences.period(finding.last)
    if first == last:
        on = sentences.ON_DAY if len(finding.last) == 10 else sentences.IN_PERIOD
        return first if brief else on.format(first=first)
    pattern = sentences.DASH if brief else sentences.FROM_TO
    if len(finding.last) == 4:
        return pattern.format(first=first, last=last)
    (begins, year), (_, other) = first.rsplit(" ", 1), last.rsplit(" ", 1)
    return pattern.format(first=begins if year == other else first, last=last)


def _factor(x: float) -> str:
    return (f"{x:.0f}" if x >= 9.95 else f"{x:.1f}").removesuffix(".0")


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(sentences.WORD.format(word=word) for word in words)
