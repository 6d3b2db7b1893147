"""Findings in sentences: what is stored as numbers, said with the names that topics have now, each with the address of its
passages. A sentence is made of parts: texts, and topics as webapp.results.links gives them."""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from webapp.documents.ranges import Range
from webapp.documents.selection import Selection
from webapp.drawing.numbers import count, percent, topic_label
from webapp.results import links, topics

Part = str | dict  # a text, or a topic (links.topic)
NAMED = 3  # topics of a family that its sentence names
UNITS = {"decade": "decades", "year": "years", "month": "months", "week": "weeks", "day": "days"}


class Said(NamedTuple):
    """parts: the sentence, without its full stop. sure: how sure it is, "95% interval 53 to 95", or nothing."""

    parts: list[Part]
    url: str
    topic: int | None = None
    sure: str = ""


class Writer:
    """Says the findings of one set of documents."""

    def __init__(self, selection: Selection, titles: dict[int, str]):
        """titles: of the documents that findings name."""
        self.selection, self.view, self.titles = selection, selection.run_view, titles
        self.run = self.view.run
        self._topics: dict[int, dict] = {}

    def say(self, row: dict) -> Said:
        writers: dict[str, Callable[[dict], Said]] = {
            "family": self._family, "change": self._change, "event": self._event, "speaker": self._speaker, "mark": self._mark,
            "keyword": self._keyword,
            "none": self._none, "sense": self._sense, "unlike": self._unlike, "caution": self._caution,
        }  # fmt: skip
        return writers[row["kind"]](row)

    def called(self, row: dict) -> dict:
        """Its topic, by the words that were checked where those are not its name."""
        return self.topic(row["topic"]) | ({"name": row["called"]} if row.get("called") else {})

    def topic(self, k: int) -> dict:
        if k not in self._topics:
            link = links.topic(self.view, k)
            name = link["name"] or ", ".join(topics.top_words(self.view, [k], 3)[k])
            self._topics[k] = link | {"name": name}
        return self._topics[k]

    def _family(self, row: dict) -> Said:
        named = row["topics"][:NAMED]
        more = row["count"] - len(named)
        tail = [f" and {_number(more, 'more topic')}"] if more else []
        share, low, high = _apart(row["estimate"], row["low"], row["high"])
        parts: list[Part] = [
            f"{share} of the words are about ",
            *_listed([self.topic(k) for k in named], not more),
            *tail,
        ]
        url = links.topics_url(self.run) + self.selection.address(topics=",".join(map(str, row["topics"])))
        return Said(parts, url, named[0], f"95% interval {low} to {high}")

    def _change(self, row: dict) -> Said:
        k, here, rest = row["topic"], percent(row["here"][0]), percent(row["rest"][0])
        _, sure = _times(row)
        more = "more" if row["more"] else "less"
        span = {"from": row["first"], "to": row["last"]}
        if row["shape"] == "window":
            said = f": most {spanned(row)}, {here} of the words, against {rest} at other times"
        elif row["shape"] == "line":
            said = f": ever {more} from {row['first_said']} to {row['last_said']}, {rest} of the words in the first third and {here} in the last"
            span = {}
        elif row["more"]:
            said, span = f": since {row['first_said']}, {here} of the words, before {rest}", {"from": row["first"]}
        else:
            said, span = f": until {row['until_said']}, {rest} of the words, since then {here}", {"to": row["until"]}
        return Said([self.called(row), said], self._documents(k, **span), k, sure)

    def _event(self, row: dict) -> Said:
        parts: list[Part] = [
            f"{_capital(spanned(row))}: {_quoted(row['words'])}, in {percent(row['here'])} of the documents, otherwise in {percent(row['rest'])}"
        ]
        selection = self.selection.changed(q=row["words"][0], span=(row["first"], row["last"]))
        return Said(parts, links.documents_url(self.run, selection.address()), row["topic"])

    def _speaker(self, row: dict) -> Said:
        since = f"since {row['first_said']}" if row["shape"] == "step" else spanned(row)
        before = "before" if row["shape"] == "step" else "at other times"
        parts: list[Part] = [
            f"Who speaks changes: most documents {since} are by {row['value']} ({row['field']}), {percent(row['here'])}, {before} {percent(row['rest'])}"
        ]
        selection = self.selection.with_value(row["field"], row["value"])
        return Said(parts, links.documents_url(self.run, selection.address()))

    def _mark(self, row: dict) -> Said:
        """Topics of one group, those with the largest difference first: `rows`."""
        rows = row["rows"]
        more = "More" if row["more"] else "Less"
        where = (
            f"{more} in {row['value']} ({row['field']}) than elsewhere: "
            if row["field"]
            else f"{more} here than in all other documents: "
        )
        named: list[Part] = []
        for i, one in enumerate(rows):
            shares = f" ({percent(one['here'][0])} of the words, {'elsewhere ' if not i else ''}{percent(one['rest'])})"
            named += [", " if i else "", self.called(one), shares]
        held = rows[0]["estimate"] is not None and rows[0]["high"] is None and rows[0]["low"] is None
        times, sure = (
            _times(rows[0]) if not held else (f"{_factor(rows[0]['estimate'])} times", "at the same mix of who speaks")
        )
        first = f"of the first {times}, {sure}" if len(rows) > 1 else f"{times}, {sure}"
        url = self._documents(rows[0]["topic"])
        if row["field"] and rows[0].get("bounds"):
            low, high = rows[0]["bounds"]
            url = self._documents(rows[0]["topic"], between=Range(row["field"], low, high))
        elif row["field"]:
            url = self._documents(rows[0]["topic"], value=(row["field"], row["value"]))
        return Said([where, *named], url, rows[0]["topic"], first)

    def _keyword(self, row: dict) -> Said:
        named = ", ".join(f"“{w}” ({percent(a)}, elsewhere {percent(b)})" if not i else f"“{w}” ({percent(a)}, {percent(b)})"
                          for i, (w, a, b) in enumerate(zip(row["words"], row["here"], row["rest"], strict=False)))  # fmt: skip
        parts: list[Part] = [f"In more documents of {row['value']} ({row['field']}) than of others: {named}"]
        selection = self.selection.changed(q=row["words"][0])
        if row["bounds"]:
            selection = selection.changed(between=[*selection.between, Range(row["field"], *row["bounds"])])
        else:
            selection = selection.elsewhere(row["field"]).with_value(row["field"], row["value"])
        return Said(parts, links.documents_url(self.run, selection.address()))

    def _none(self, row: dict) -> Said:
        points = f"{100 * row['estimate']:.1f} points"
        parts: list[Part] = [
            f"{row['field']}: no topic’s share differs by more than chance explains; the largest difference is {points} ({row['value']}, ",
            self.topic(row["largest"]), ")"]  # fmt: skip
        return Said(
            parts, links.topics_url(self.run) + self.selection.address(), None, f"if {row['units']} are independent"
        )

    def _sense(self, row: dict) -> Said:
        gained, lost = self.topic(row["gained"]), self.topic(row["lost"])
        parts: list[Part] = [f"“{row['word']}”: up to {row['until'][1]}, {percent(row['lost_shares'][0])} of the documents with the word use it in ",
                 lost, f"; since {row['since'][1]}, {percent(row['gained_shares'][1])} use it in ", gained]  # fmt: skip
        sure = f"both shares changed by at least {100 * row['estimate']:.0f} points, 95% interval {100 * row['low']:.0f} to {100 * row['high']:.0f}"
        return Said(parts, links.word_url(self.run, row["word"], self.selection.address()), row["gained"], sure)

    def _unlike(self, row: dict) -> Said:
        title = self.titles.get(row["document"]) or f"Document {row['document'] + 1}"
        first, *rest = [self.topic(k) for k in row["topics"]]
        among = "No other document" if row["all"] else f"None of {row['compared']:,} other documents"
        parts: list[Part] = [f"“{title}” stands alone: {percent(row['parts'][0])} ", first]
        if rest:
            parts += [f" and {percent(row['parts'][1])} ", rest[0]]
        parts += [f". {among} shares more than {percent(row['estimate'])} of its mix of topics"]
        return Said(parts, links.document_url(self.run, row["document"], f"?topic={row['topics'][0]}"))

    def _caution(self, row: dict) -> Said:
        what, n = row["what"], row.get("count", 0)
        parts: list[Part]
        if what in ("general", "mixed", "one_document"):
            named: list[Part] = [self.topic(k) for k in row["topics"]]
            more = [f" and {n - len(named)} more"] if n > len(named) else []
            said = {
                "general": f"{_number(n, 'topic')} {_is(n)} general talk, which the findings above leave out: ",
                "mixed": f"{_number(n, 'topic')} {_mixes(n)} words that rarely occur together: ",
                "one_document": f"{_number(n, 'topic')} {_takes(n)} a fifth or more of {_its(n)} words from one document: ",
            }[what]
            parts = [
                said,
                *_listed(named, not more),
                *more,
                f". {'Together' if n > 1 else 'It has'} {percent(row['estimate'])} of the words",
            ]
            url = links.topics_url(self.run) + "?" + urlencode({"topics": ",".join(map(str, row["topics"]))})
            return Said(parts, url)
        if what == "thin":
            unit = UNITS[row["unit"]]
            some = ", ".join(row["periods"]) + (" …" if n > len(row["periods"]) else "")
            empty = (
                f". {_number(row['empty'], row['unit'])} in between {_has(row['empty'])} none" if row["empty"] else ""
            )
            parts = [
                f"{count(n)} of {count(row['of'])} {unit} have fewer than 10 documents ({some}): don’t rely on their shares{empty}"
            ]
            return Said(parts, reverse("run_time", args=[self.run.pk]) + self.selection.address(by=row["unit"]))
        if what == "repeated":
            parts = [
                f"{count(n)} documents ({percent(row['estimate'])}) repeat an earlier one, wholly or nearly, and are counted each time"
            ]
            return Said(
                parts,
                links.documents_url(self.run, self.selection.address() + ("&" if self.selection else "") + "only=near"),
            )
        parts = [
            f"{percent(row['estimate'])} of the words that are not stop words are in no topic: they are too rare or too frequent"
        ]
        return Said(parts, reverse("run_methods", args=[self.run.pk]))

    def _documents(
        self, k: int, value: tuple[str, str] | None = None, between: Range | None = None, **span: str
    ) -> str:
        """The documents of the set that have the topic, within more conditions, those with most of it first."""
        selection = self.selection.with_topic(k, 1)
        if value:
            selection = selection.elsewhere(value[0]).with_value(*value)
        if between:
            selection = selection.changed(between=[*selection.between, between])
        if span:
            selection = selection.changed(span=(span.get("from") or selection.first, span.get("to") or selection.last))
        return links.documents_url(self.run, selection.address(by=topic_label(k)))


def plain(said: Said) -> str:
    """A sentence as one text, topics as "name (T07)", with its interval and a full stop."""
    text = "".join(part if isinstance(part, str) else f"{part['name']} ({part['label']})" for part in said.parts)
    return text + (f" ({said.sure})." if said.sure else ".")


def _listed(names: list[Part], last: bool) -> list[Part]:
    """a, b and c; without `last` a, b, c."""
    out: list[Part] = []
    for i, name in enumerate(names):
        if i:
            out.append(" and " if last and i == len(names) - 1 else ", ")
        out.append(name)
    return out


def _times(row: dict) -> tuple[str, str]:
    """How many times as much, and its interval; of less by how much it is divided: "÷12", "95% interval ÷9 to ÷16"."""
    ratio, low, high = (row[name] for name in ("estimate", "low", "high"))
    if ratio is None:  # of nothing
        return f"at least {_factor(low)} times as much", "95% bound"
    if not ratio:
        return f"÷{_factor(1 / high)} at least", "95% bound"
    if ratio >= 1:
        end = _factor(high) if high is not None else "any number"
        said = "twice as much" if _factor(ratio) == "2" else f"{_factor(ratio)} times as much"
        return said, f"95% interval {_factor(low)} to {end}"
    end = f"÷{_factor(1 / low)}" if low else "nothing"
    return f"÷{_factor(1 / ratio)}", f"95% interval ÷{_factor(1 / high)} to {end}"


def _apart(*shares: float) -> list[str]:
    """An estimate and the ends of its interval, all with a decimal where one of the ends would be written as the estimate."""
    said, *ends = [percent(share).replace(".0%", "%") for share in shares]
    return [percent(x) if said not in ends or x < 0.1 else f"{100 * x:.1f}%" for x in shares]


def _factor(x: float) -> str:
    text = f"{x:.0f}" if x >= 9.95 else f"{x:.1f}"
    return text.removesuffix(".0")


def spanned(row: dict) -> str:
    """When a finding lasts: "in 1973", "between 1973 and 1985", "from March to June 2011", "from 14 March to 3 July 2016"."""
    first, last = row["first_said"], row["last_said"]
    if len(row["last"]) == 10:
        last = f"{(day := date.fromisoformat(row['last'])):%-d %B} {day.year}"
    if first == last:
        return f"{'on' if len(row['last']) == 10 else 'in'} {first}"
    if len(row["last"]) == 4:
        return f"between {first} and {last}"
    (begins, year), (_, other) = first.rsplit(" ", 1), last.rsplit(" ", 1)
    return f"from {begins if year == other else first} to {last}"


def _quoted(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _has(n: int) -> str:
    return "has" if n == 1 else "have"


def _mixes(n: int) -> str:
    return "mixes" if n == 1 else "mix"


def _takes(n: int) -> str:
    return "takes" if n == 1 else "take"


def _its(n: int) -> str:
    return "its" if n == 1 else "their"
