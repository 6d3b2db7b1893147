"""The reading protocol: passages to read and tests to pass blind, and what came of them."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.curation import intrusion as queries
from webapp.curation import intrusion_answers
from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.pages.page import address, number, page, reader, run_or_404
from webapp.results import links, topics
from webapp.results.view import RunView

TESTS = {"words": queries.word_test, "topics": queries.topic_test}
PAGES = {"label": "reading_passages", "words": "reading_words", "topics": "reading_topics"}


def _seed(request: HttpRequest) -> int:
    return number(request, "seed", 0)


def _url(name: str, run: Run, topic: int, seed: int) -> str:
    return reverse(name, args=[run.pk, topic]) + (f"?seed={seed}" if seed else "")


def _run(run_id: int, topic: int) -> Run:
    run = run_or_404(run_id)
    if topic >= run.topics:
        raise Http404(f"Run {run.pk} has no topic {topic}.")
    return run


@require_safe
def index(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run, seed = run_or_404(run_id), _seed(request)
    progress = queries.progress(run, reader(request), seed)
    for kind, part in progress.items():
        part["url"] = None if part["next"] is None else _url(PAGES[kind], run, part["next"], seed)
    data = {"progress": progress, "topics": run.topics, "seed": seed, "done": run.status == Run.Status.DONE}
    return page(request, "run/reading.html", data, as_json=as_json, run=run)


@require_safe
def passages(request: HttpRequest, run_id: int, number: int, as_json: bool = False) -> HttpResponse:
    """Ten passages, without anything that tells what the model makes of them until all questions are answered."""
    run, seed = _run(run_id, number), _seed(request)
    view = RunView(run)
    read = queries.passages(run, number, seed)
    said = queries.answers(run, number, seed, reader(request), "label", "fit")
    shown = queries.revealed(said, read)
    blind = ("document", "share", "stratum", "start", "end", "title", "date_text", "number", "url")
    for i, passage in enumerate(read):
        passage["fits"] = said.get(("fit", i), {}).get("fits", "")
        passage["number"] = passage["document"]
        passage["url"] = reverse("run_document", args=[run.pk, passage["document"]])
        if not shown:
            for name in blind:
                del passage[name]
    data = {
        "topic": links.topic(view, number) if shown else {"number": number, "label": topic_label(number)},
        "seed": seed,
        "passages": read,
        "label": said.get(("label", 0), {"label": "", "confidence": None}),
        "revealed": shown,
        "words": topics.top_words(view, [number])[number] if shown else [],
        "labels": queries.labels(run, number) if shown else [],
    }
    following = queries.progress(run, reader(request), seed)["label"]["next"] if shown else None
    data["next"] = None if following is None else _url("reading_passages", run, following, seed)
    return page(request, "run/reading_passages.html", data, as_json=as_json, run=run)


@require_POST
def answer_passages(request: HttpRequest, run_id: int, number: int) -> HttpResponse:
    run, seed, sent = _run(run_id, number), _seed(request), request.POST
    read = queries.passages(run, number, seed)
    if queries.revealed(queries.answers(run, number, seed, reader(request), "label", "fit"), read):
        messages.error(request, "You have seen which topic this is, so your answers can no longer be changed.")
        return redirect(_url("reading_passages", run, number, seed))
    fits = {i: sent[f"fits_{i}"] for i in range(len(read)) if sent.get(f"fits_{i}")}
    try:
        intrusion_answers.save_reading(
            run, number, seed, reader(request), read, fits, sent.get("label", ""), sent.get("confidence", "")
        )
    except Invalid as error:
        messages.error(request, error.message)
    else:
        missing = len(read) - len(fits)
        if missing or not sent.get("label", "").strip():
            parts = [f"{missing} of {len(read)} passages"] * bool(missing) + ["the label"] * (
                not sent.get("label", "").strip()
            )
            messages.info(request, f"Saved. Still to answer: {' and '.join(parts)}.")
    return redirect(_url("reading_passages", run, number, seed))


@require_safe
def test(request: HttpRequest, run_id: int, number: int, kind: str, as_json: bool = False) -> HttpResponse:
    """Which word, or which topic, does not belong? The intruder is named once it is answered."""
    run, seed = _run(run_id, number), _seed(request)
    view, asked = RunView(run), TESTS[kind](run, number, seed)
    said = queries.answers(run, number, seed, reader(request), kind).get((kind, 0))
    following = queries.after(run, reader(request), seed, kind, number)
    data = {
        "kind": kind,
        "number": number,
        "seed": seed,
        "shown": asked["shown"] if asked else None,
        "text": asked.get("text") if asked else None,
        "next": None if following is None else _url(PAGES[kind], run, following, seed),
        "chosen": said["chosen"] if said else None,
        "intruder": said["intruder"] if said else None,
        "document": reverse("run_document", args=[run.pk, said["document"]]) if said and kind == "topics" else None,
        "topic": links.topic(view, number) if said else None,
    }
    if asked and kind == "topics":
        data["shown"] = [
            {"words": row["words"]} | ({"topic": links.topic(view, row["number"])} if said else {})
            for row in asked["shown"]
        ]
    return page(request, "run/reading_test.html", data, as_json=as_json, run=run)


@require_POST
def answer_test(request: HttpRequest, run_id: int, number: int, kind: str) -> HttpResponse:
    """Keep the choice and go on to the next question."""
    run, seed = _run(run_id, number), _seed(request)
    asked, chosen = TESTS[kind](run, number, seed), request.POST.get("chosen", "")
    if asked is None:
        raise Http404("There is no such question.")
    if not (chosen.isascii() and chosen.isdigit() and len(chosen) < 3):
        raise BadRequest(f"“chosen” must be a whole number, got “{chosen[:20]}”.")
    intrusion_answers.save_choice(run, kind, number, seed, reader(request), asked, int(chosen))
    following = queries.after(run, reader(request), seed, kind, number)
    return redirect(
        reverse("run_reading_results", args=[run.pk]) if following is None else _url(PAGES[kind], run, following, seed)
    )


@require_safe
def results(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    data = queries.results(run, number(request, "after", 0))
    data["next"] = None if data["next"] is None else address(request, after=data["next"])
    return page(request, "run/reading_results.html", data, as_json=as_json, run=run)
