"""What a pin keeps of a topic, a passage or a chart as it is now."""

from django.urls import reverse

from inference.errors import Invalid
from webapp.core.documents.authors import name_authors
from webapp.core.notebooks.shapes import PinContent, Source
from webapp.core.results import links, topics
from webapp.core.results.view import RunView
from webapp.models import Corpus, Pin, Run, Topic
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import document_name


def of_topic(run: Run, number: int) -> PinContent:
    """A topic with its first words. Raises Invalid."""
    share = (
        Topic.objects.filter(snapshot=run.snapshot, number=number)
        .values_list("share", flat=True)
        .first()
    )
    if share is None:
        raise Invalid("topic", f"Run {run.pk} has no topic {number}.")
    view = RunView(run)
    return PinContent(
        kind=Pin.Kind.TOPIC,
        title=view.labels.title(number),
        address=reverse("run_topic", args=[run.pk, number]),
        quote=", ".join(topics.top_words(view, [number])[number]),
        source=_run(run) | {"topic": number, "colour": view.hue(number), "share": share},
    )


def of_passage(
    corpus: Corpus, run: Run | None, number: int, quote: str, start: int | None, end: int | None
) -> PinContent:
    """A passage, in the document's own characters: what was sent is found in the text, not
    believed. Raises Invalid."""
    passage = embargo.quotation(corpus, number, quote, start, end)
    if passage is None:
        raise Invalid("document", f"“{corpus.name}” has no document {number}.")
    end = passage.first + len(passage.text)
    document = embargo.about(
        corpus, [number], "source_id", "file", "place", "title", "date_text", "metadata"
    )[number]
    name = document_name(document["title"], number)
    # A title says who speaks where it is known; a number does not
    author = "" if document["title"] else name_authors(corpus, [document])[number]
    return PinContent(
        kind=Pin.Kind.PASSAGE,
        title=", ".join(filter(None, [name, author, document["date_text"]])),
        address=links.marked_url(run or corpus, number, passage.first, end),
        quote=passage.text,
        start=passage.first,
        end=end,
        source={
            "corpus": corpus.name,
            "corpus_id": corpus.pk,
            "document": number,
            "id": document["source_id"],
            "file": document["file"],
            "place": document["place"],
            **_cuts(passage),
            **(_run(run) if run else {}),
        },
    )


def _cuts(passage: embargo.Piece) -> Source:
    """Where a passage begins or ends within a sentence; a notebook has an ellipsis there."""
    cuts: Source = {}
    if passage.mid_sentence:
        cuts["cut_before"] = True
    if passage.ends_mid_sentence:
        cuts["cut_behind"] = True
    return cuts


def of_chart(
    run: Run | None,
    title: str,
    address: str,
    sentence: str,
    table: object,
    level_of_interval: float | None = None,
) -> PinContent:
    """A page with a chart: its address, what it shows, and the data as they were shown.
    level_of_interval: of the interval in the sentence, 0.95 of 95%; None without one."""
    source = _run(run) if run else {}
    if level_of_interval is not None:
        source |= {"level": level_of_interval}
    return PinContent(Pin.Kind.CHART, title, address, sentence=sentence, table=table, source=source)


def _run(run: Run) -> Source:
    return {"corpus": run.corpus.name, "run": run.pk, "K": run.topics, "seed": run.seed}
