"""Words of a run's corpus, the senses of one (the topics its tokens were given to), its lines, and two words side by
side."""

from dataclasses import asdict, dataclass
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from webapp.accounts import embargo
from webapp.documents import fields
from webapp.documents.selection import RunSelection, Selection
from webapp.drawing.numbers import percent
from webapp.drawing.tables import column_name, json_text, kept_table
from webapp.models import Run, Word
from webapp.pages.here import Here
from webapp.pages.page import number, page, run_or_404
from webapp.pages.typed import Answer, typed
from webapp.results import links
from webapp.results.run_links import RunLinks, conditions
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.words import concordance, queries, senses

SAMPLES = 3  # lines of each sense beside all others
MUCH = 0.1  # of a word: if its folded senses hold more, they are open
UNSURE = 0.8  # certainty below which a sense says how certain it is
RELATED = 9  # words that begin alike, this one among them
COMPARE = "compare"  # the page of two words; without any it is the page of this word


@dataclass(frozen=True)
class WordRow(queries.WordCount):
    url: str


@dataclass(frozen=True)
class BeginningRow(queries.Beginning):
    url: str


@dataclass(frozen=True)
class WordsPage:
    """alike: words that are offered where none begins as was typed. beginnings: before anything was typed."""

    items: list[WordRow]
    q: str
    alike: list[WordRow]
    beginnings: list[BeginningRow]
    next: str | None


@typed("run/words.html")
def index(
    run: Run, view: RunView, here: Here, as_json: bool, *, word: str = "", after: int | None = None
) -> Answer[WordsPage] | HttpResponse:
    known = None if as_json or after is not None else queries.word(run.version, word)
    if known:  # a whole word opens its page; what is only a beginning is answered with a list
        return redirect(view.go("run_word", known.word))
    words, following = queries.matching(run.version, word, -1 if after is None else after)
    beginnings = [] if word or as_json or after is not None else queries.beginnings(view)
    page = WordsPage(
        items=_rows(words, view.go),
        q=word,
        alike=_rows(queries.alike(run.version, word), view.go) if word and not words else [],
        beginnings=[BeginningRow(**vars(row), url=view.go("run_word", row.word)) for row in beginnings],
        next=here.following(following),
    )
    return Answer(page)


def _rows(words: list[queries.WordCount], go: RunLinks) -> list[WordRow]:
    return [WordRow(**vars(row), url=go("run_word", row.word)) for row in words]


def missing(request: HttpRequest, run: Run, word: str, as_json: bool) -> HttpResponse:
    """What there is instead of a word that the vocabulary lacks."""
    go, word = RunLinks(run.pk, conditions(request.GET)), word[:100]
    page = WordsPage([], word, _rows(queries.alike(run.version, word), go), [], None)
    return index.answered(request, Answer(page, status=404), as_json, run=run)


@cached_page()
def detail(request: HttpRequest, run: Run, word: str, as_json: bool = False) -> HttpResponse:
    """The senses of a word, or with ?topic= the lines of one."""
    known = queries.word(run.version, word)
    if known is None:
        return missing(request, run, word, as_json)
    data: dict[str, Any] = {
        "word": {
            "word": known.word,
            "tokens": known.tokens,
            "documents": known.documents,
            "direction": concordance.direction(known.word),
        },
    }
    if not run.final:
        return page(request, "run/word.html", data | {"senses": None}, as_json=as_json, run=run)
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    data["documents_chosen"] = selection.sentence
    if "topic" in request.GET:
        return _lines(request, known, selection, data, as_json)
    uses = senses.uses(view, known, selection)
    named, rare = senses.tallied(view, uses, selection)
    listed = rare[: senses.LISTED]
    senses.name(view, uses, named, listed)
    charted = senses.charted(view, named, rare, request.GET.get("rest") == "apart")
    if concordance.has_places(run):
        samples = concordance.samples(selection, uses, [row["number"] for row in named], SAMPLES)
        for row in named:
            row["samples"] = samples[row["number"]]
    data |= {
        "senses": named,
        "rare": listed,
        "rare_count": len(rare),
        "tokens": sum(row["tokens"] for row in (*named, *rare)),
        "documents": uses.in_documents,
        "all": selection.address(topic="all"),
        "rest": sum(row["tokens"] for row in rare),
        "related": [
            row
            for row in map(asdict, _rows(queries.matching(run.version, known.word, limit=RELATED)[0], RunLinks(run.pk)))
            if row["word"] != known.word
        ],
        "shift": senses.shift(run, uses, charted, request.GET.get("by", ""), selection),
        "has_places": concordance.has_places(run),
    }
    return page(
        request,
        "run/word.html",
        data,
        as_json=as_json,
        run=run,
        selection=selection,
        topics_count=len(named) + len(rare),
        pinned=_pinned(known, data, charted),
        rest_share=data["rest"] / max(1, data["tokens"]),
        much_rare=data["rest"] > MUCH * data["tokens"],
        doubtful=bool(named) and (data["tokens"] < senses.THIN or not senses.is_sense(named[0])),
        unsure={row["number"]: concordance.sure(row["certainty"]) for row in named if row["certainty"] < UNSURE},
        rare_groups=senses.grouped(rare, listed),
        charted=charted,
        uncharted=len(rare) - (len(charted) - len(named)),
        others_charted=min(len(rare), senses.APART),
    )


def _pinned(word: Word, data: dict, charted: list[dict]) -> dict:
    """What a notebook keeps of the page: the senses in a sentence, and their shares by period or value."""
    told = "; ".join(f"{column_name(row)} {percent(row['share'])}" for row in data["senses"])
    among = f" in {data['documents_chosen']}" if data["documents_chosen"] else ""
    shift, table = data["shift"], None
    if shift and shift["bins"]:
        columns = [*map(column_name, charted), "others"]
        shares = [[cell["share"] if bin["tokens"] else None for cell in bin["cells"]] for bin in shift["bins"]]
        table = kept_table(shift["by"], [bin["label"] for bin in shift["bins"]], columns, shares)
    sentence = f"{data['tokens']:,} occurrences{among}: {told}." if told else ""
    return {"title": f"“{word.word}”: its senses", "sentence": sentence, "table": json_text(table)}


def _lines(request: HttpRequest, word: Word, selection: RunSelection, data: dict, as_json: bool) -> HttpResponse:
    view, run = selection.view, selection.run
    topic = _topic(request, view)
    order = request.GET.get("sort", "certainty")
    order = order if order in _orders(run) else "certainty"
    first = number(request, "after", 0)
    uses = senses.uses(view, word, selection)
    named, rare = senses.tallied(view, uses, selection)
    listed = [row for i, row in enumerate(rare) if i < senses.LISTED or row["number"] == topic]
    senses.name(view, uses, named, listed)
    lines = concordance.Lines([], 0, 0, 0)
    if concordance.has_places(run):
        lines = concordance.page(selection, uses, topic, order, first)
    kept = {"topic": request.GET["topic"], "sort": "" if order == "certainty" else order}
    last = first + len(lines.lines)
    data |= {
        "sense": next((row for row in (*named, *listed) if row["number"] == topic), None),
        "senses": named,
        "rare": listed,
        "all": selection.address(topic="all"),
        "overview": selection.address() if selection else "",
        "sort": order,
        "sorts": [
            {"name": name, "says": says, "url": selection.address(**kept | {"sort": name})}
            for name, says in _orders(run).items()
        ],
        "lines": lines.lines,
        "total": lines.total,
        "in_order": lines.in_order,
        "kept_back": lines.kept_back,
        "embargo": embargo.sentence(run.corpus),
        "first": first + 1,
        "last": last,
        "previous": selection.address(**kept, after=max(0, first - concordance.PAGE) or "") if first else None,
        "next": selection.address(**kept, after=last) if last < lines.total and lines.lines else None,
        "has_places": concordance.has_places(run),
    }
    if topic is not None and data["sense"] is None:
        data["topic"] = links.topic(view, topic)
    return page(request, "run/lines.html", data, as_json=as_json, run=run, selection=selection)


def _orders(run: Run) -> dict[str, str]:
    """Without dates there is no oldest line."""
    dated = fields.dated(run.version) is not None
    return {name: says for name, says in concordance.ORDERS.items() if dated or name not in ("oldest", "newest")}


def _topic(request: HttpRequest, view: RunView) -> int | None:
    """The sense whose lines are asked for, that into which it was merged; None for all."""
    if request.GET["topic"] == "all":
        return None
    topic = number(request, "topic")
    if topic is None or topic >= view.run.topics:
        raise BadRequest(f"“topic” in the address must be “all” or a topic of this run, 0 to {view.run.topics - 1}.")
    return int(view.labels.into[topic])


@require_safe
def compare(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """Two words side by side: ?word=cell&word=battery. Without any this is the page of the word “compare”."""
    run = run_or_404(run_id)
    typed = [text for text in (" ".join(text.split())[:100] for text in request.GET.getlist("word")) if text][:2]
    if "word" not in request.GET and queries.word(run.version, COMPARE):
        return detail(request, run_id, word=COMPARE, as_json=as_json)
    words = [queries.word(run.version, text) for text in typed]
    data = {"typed": typed, "words": [], "comparison": None, "unknown": []}
    for text, word in zip(typed, words, strict=True):
        if word is None:
            data["unknown"].append(
                {
                    "word": text,
                    "alike": [asdict(row) for row in _rows(queries.alike(run.version, text), RunLinks(run.pk))],
                }
            )
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    if len(words) == 2 and None not in words and run.final:
        data["words"] = [
            {
                "word": w.word,
                "url": links.word_url(run, w.word, selection.address() if selection else ""),
            }
            for w in words
        ]
        data["comparison"] = senses.beside(view, *words, selection)
        data["same"] = words[0].number == words[1].number
    return page(request, "run/compare.html", data, as_json=as_json, run=run, selection=selection)
