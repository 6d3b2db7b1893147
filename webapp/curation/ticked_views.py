"""What is done with the topics that are ticked in a list: forms that lead to a page about them, or edit all of them at
once."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.curation import services as curation
from webapp.drawing.numbers import topic_label
from webapp.models import Run
from webapp.pages.page import back, reader, run_or_404, told
from webapp.results import measures, topics
from webapp.results.run_links import conditions

# what the button says -> the page, the name of its topics, and what else its address says
LOOKS = {
    "only": ("run_topics", "topics", {}),
    "words": ("run_topics", "topics", {"view": "grid"}),
    "time": ("run_topics", "topics", {"view": "time"}),
    "effects": ("run_effects", "topic", {}),
    "steer": ("run_steer", "topics", {}),
}


@require_POST
def look(request: HttpRequest, run_id: int) -> HttpResponse:
    """Lead to the page that shows the ticked topics, for the documents that are chosen."""
    run = run_or_404(run_id)
    ticked, do = _ticked(request, run), request.POST.get("do", "")
    if not ticked:
        return _nothing(request, run)
    numbers, chosen = ",".join(map(str, ticked)), conditions(request.GET)
    if do == "export":
        url = reverse("export", args=[run.pk, "documents.csv"])
        return redirect(f"{url}?{urlencode([*chosen, ('topics', numbers)], safe=',')}")
    name, parameter, more = LOOKS.get(do, LOOKS["only"])
    query = urlencode([*chosen, *more.items(), (parameter, numbers)], safe=",")
    return redirect(f"{reverse(name, args=[run.pk])}?{query}")


@require_POST
def edit(request: HttpRequest, run_id: int) -> HttpResponse:
    """Merge, hide, group or colour the ticked topics: one entry of the history, which can be undone as a whole."""
    run = run_or_404(run_id)
    ticked, do = _ticked(request, run), request.POST.get("do", "")
    if not ticked:
        return _nothing(request, run)
    with told(request):
        values = _values(run, ticked, do, request.POST.get(do, ""))
        changed = curation.change_many(run, values, reader(request))
        text = (
            f"{_sentence(run, ticked, do)}. It can be undone under Labels and notes." if changed else "Nothing changed."
        )
        messages.success(request, text)
    return redirect(back(request, reverse("run_topics", args=[run.pk])))


def _values(run: Run, ticked: list[int], do: str, text: str) -> dict[int, dict[str, str]]:
    if do == "merge":
        if len(ticked) < 2:
            raise Invalid("merge", "Merging needs two topics or more; tick another one.")
        largest = _largest(run, ticked)
        return {k: {"into": str(largest)} for k in ticked if k != largest}
    if do == "hidden":
        return {k: {"hidden": "1"} for k in ticked}
    if do in ("group", "colour"):
        return {k: {do: text} for k in ticked}
    raise Invalid("do", "Choose an action for the ticked topics.")


def _sentence(run: Run, ticked: list[int], do: str) -> str:
    count = f"{len(ticked):,} topic{'' if len(ticked) == 1 else 's'}"
    if do == "merge":
        return f"{count} are now merged into {topic_label(_largest(run, ticked))}"
    return f"{count}: {'hidden' if do == 'hidden' else f'{do} changed'}"


def _largest(run: Run, ticked: list[int]) -> int:
    share = measures.of(run)["share"]
    return max(ticked, key=lambda k: (share[k], -k))


def _ticked(request: HttpRequest, run: Run) -> list[int]:
    return topics.numbers(request.POST.getlist("topics"), run)


def _nothing(request: HttpRequest, run: Run) -> HttpResponse:
    messages.error(request, "No topic is ticked. Tick one or more first.")
    return redirect(back(request, reverse("run_topics", args=[run.pk])))
