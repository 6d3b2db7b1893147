"""The reading tests: passages to read and questions to answer blind, and what came of them."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from webapp.core.curation import intrusion as queries, intrusion_answers, reading_results
from webapp.core.curation.shapes import (
    BlindPassage,
    BlindPassagesPage,
    BlindTopic,
    IntrusionPage,
    OwnLabel,
    PassagesPage,
    Progress,
    ReadingPage,
    ReadPassage,
    ResultsPage,
    RevealedTopic,
    Task,
    Test,
    TopicWords,
)
from webapp.core.results import topics
from webapp.core.results.links import topic_link
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.pages.page import (
    is_whole,
    number as number_of,
    show_errors,
    signature,
    unchecked_run,
)
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.pages.typed import PageResponse, typed

# What a reader chooses from: words, or topics by their words
Choices = list[str] | list[RevealedTopic | TopicWords]
TESTS = {"words": queries.word_test, "topics": queries.topic_test}
PAGES: dict[Task, str] = {
    "label": "reading_passages",
    "words": "reading_words",
    "topics": "reading_topics",
}


def _url(view: RunView, task: Task, topic: int, seed: int) -> str:
    return view.go(PAGES[task], queries.question_of(view.run, seed, topic), seed=seed or None)


def _next(view: RunView, task: Task, topic: int | None, seed: int) -> str | None:
    """The page of a task and a topic; None where there is no topic left."""
    return None if topic is None else _url(view, task, topic, seed)


def _topic(run: Run, seed: int, question: int) -> int:
    """Raises Http404, also while the topics of a question still change."""
    if not run.final:
        raise Http404(f"Run {run.pk} has no questions before it is done.")
    if question >= run.topics:
        raise Http404(f"Run {run.pk} has no question {question}.")
    return int(queries.questions(run, seed)[question])


@typed("run/reading.html")
def index(request: HttpRequest, view: RunView, *, seed: int = 0) -> PageResponse[ReadingPage]:
    """The three tasks, and how far the reader is."""
    progress = {}
    for task, so_far in queries.progress(view, signature(request), seed).items():
        url = _next(view, task, so_far.next, seed)
        progress[task] = Progress(so_far.done, so_far.topics, so_far.next, url)
    return PageResponse(
        ReadingPage(
            progress=progress,
            topics=view.run.topics,
            seed=seed,
            done=view.run.status == Run.Status.DONE,
        )
    )


@typed({PassagesPage: "run/reading_passages.html", BlindPassagesPage: "run/reading_blind.html"})
def passages(
    request: HttpRequest, view: RunView, number: int, *, seed: int = 0
) -> PageResponse[PassagesPage | BlindPassagesPage]:
    """Ten passages, without anything that tells what the model makes of them until all questions
    are answered."""
    run = view.run
    who = signature(request)
    question = number
    number = _topic(run, seed, question)
    read = queries.passages(run, number, seed)
    answered = queries.answers(run, number, seed, who, "label", "fit")
    label = OwnLabel(**answered.get(("label", 0), {"label": "", "confidence": None}))
    fits = [answered.get(("fit", i), {}).get("fits", "") for i in range(len(read))]
    if not queries.revealed(answered, read):
        return PageResponse(
            BlindPassagesPage(
                topic=BlindTopic(question, f"Question {question}"),
                seed=seed,
                passages=[
                    BlindPassage(passage.text, fit) for passage, fit in zip(read, fits, strict=True)
                ],
                label=label,
                revealed=False,
                words=[],
                labels=[],
                next=None,
            )
        )
    following = queries.progress(view, who, seed)["label"].next
    return PageResponse(
        PassagesPage(
            topic=topic_link(view, number),
            seed=seed,
            passages=[
                ReadPassage(
                    **vars(passage),
                    fits=fit,
                    number=passage.document,
                    url=view.go("run_document", passage.document),
                )
                for passage, fit in zip(read, fits, strict=True)
            ],
            label=label,
            revealed=True,
            words=topics.top_words(view, [number])[number],
            labels=queries.labels(run, number),
            next=_next(view, "label", following, seed),
        )
    )


@require_POST
def answer_passages(request: HttpRequest, run_id: int, number: int) -> HttpResponse:
    run = unchecked_run(run_id)
    seed = number_of(request, "seed") or 0
    form = request.POST
    who = signature(request)
    number = _topic(run, seed, number)
    read = queries.passages(run, number, seed)
    fits = {i: form[f"fits_{i}"] for i in range(len(read)) if form.get(f"fits_{i}")}
    label = form.get("label", "")
    missing = len(read) - len(fits)
    with show_errors(request):
        intrusion_answers.save_reading(
            run, number, seed, who, read, fits, label, form.get("confidence", "")
        )
        parts = []
        if missing:
            parts.append(f"{missing} of {len(read)} passages")
        if not label.strip():
            parts.append("the label")
        if parts:
            messages.info(request, f"Saved. Still to answer: {' and '.join(parts)}.")
    return redirect(_url(RunView(run), "label", number, seed))


@typed("run/reading_test.html")
def test(
    request: HttpRequest, view: RunView, number: int, kind: Test, *, seed: int = 0
) -> PageResponse[IntrusionPage]:
    """Which word, or which topic, does not belong? The intruder is named once it is answered."""
    run = view.run
    who = signature(request)
    question = number
    number = _topic(run, seed, question)
    make_test = TESTS[kind]
    reading_test = make_test(run, number, seed)
    answered = queries.answers(run, number, seed, who, kind).get((kind, 0), {})
    shown: Choices | None
    if answered:
        shown = _answered_choices(view, kind, answered["shown"])
    else:
        shown = _test_choices(reading_test)
    document = answered.get("document")
    document_link = None if document is None else view.go("run_document", document)
    opening = reading_test.text if isinstance(reading_test, queries.TopicTest) else None
    return PageResponse(
        IntrusionPage(
            kind=kind,
            number=question,
            seed=seed,
            shown=shown,
            text=opening,
            next=_next(view, kind, queries.after(view, who, seed, kind, number), seed),
            chosen=answered.get("chosen"),
            intruder=answered.get("intruder"),
            document=document_link,
            topic=topic_link(view, number) if answered else None,
        )
    )


def _test_choices(
    test: queries.WordTest | queries.TopicTest | None,
) -> Choices | None:
    if isinstance(test, queries.TopicTest):
        return [TopicWords(words) for _, words in test.shown]
    return test.shown if test else None


def _answered_choices(view: RunView, kind: Test, shown: list) -> Choices:
    """What the reader chose from: words, or topics by their numbers."""
    if kind == "words":
        return shown
    words = topics.most_probable_words(view.run, shown, queries.WORDS_OF_TOPIC)
    choices: list[RevealedTopic | TopicWords] = []
    for number in shown:
        choices.append(RevealedTopic(words[number], topic_link(view, number)))
    return choices


@require_POST
def answer_test(request: HttpRequest, run_id: int, number: int, kind: Test) -> HttpResponse:
    """Keep the choice and continue with the next question."""
    run = unchecked_run(run_id)
    seed = number_of(request, "seed") or 0
    answer = request.POST.get("chosen", "")
    number = _topic(run, seed, number)
    make_test = TESTS[kind]
    reading_test = make_test(run, number, seed)
    view = RunView(run)
    if reading_test is None:
        raise Http404("There is no such question.")
    if not is_whole(answer):
        raise BadRequest(f"“chosen” must be a whole number, got “{answer[:20]}”.")
    intrusion_answers.save_choice(
        run, kind, number, seed, signature(request), reading_test, int(answer)
    )
    following = queries.after(view, signature(request), seed, kind, number)
    return redirect(_next(view, kind, following, seed) or view.go("run_reading_results"))


@typed("run/reading_results.html")
def results(view: RunView, page_query: PageQuery, *, after: int = 0) -> PageResponse[ResultsPage]:
    """What readers judged: labels side by side, how far they agree, how precise the topics are."""
    rows, following, measures = reading_results.results(view, after)
    return PageResponse(ResultsPage(topics=rows, next=page_query.following(following), **measures))
