"""A chart in a page of another site: the address without navigation, oEmbed, and the page that
gives the HTML to copy."""

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from webapp.core.results import provenance
from webapp.core.results.view import RunView
from webapp.models import Corpus, Run
from webapp.platform.accounts import authorization, embargo, framing
from webapp.platform.accounts.roles import Role
from webapp.platform.drawing import pictures
from webapp.platform.pages.page import json_answer, looked_up, rendered, unchecked_run
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.service.embedding import charts
from webapp.service.embedding.charts import NAMES, Chart

KEY = "key"  # in the address
LONGEST_ADDRESS = 4_000  # of a chart, in characters
FRAME_WIDTH = 720  # pixels, where the other page says nothing
FRAME_HEIGHT = 440
SMALLEST_FRAME = 240  # pixels that a program may ask for
LONGEST_NUMBER = 6  # its digits
PICTURES = {"svg": "image/svg+xml", "png": "image/png"}
# Nothing of an address that is missing, forbidden, revoked or not allowed differs
NOT_SHOWN = "There is no chart at this address, or it is not shown any more."


@dataclass(frozen=True)
class EmbeddedPage:
    """drawn: the picture as SVG. source: the corpus and the program. page: the address of the whole
    page. oembed: where this chart is described for programs."""

    title: str
    sentence: str
    drawn: str
    source: str
    page: str
    oembed: str


@dataclass(frozen=True)
class EmbedPage:
    """What is copied. address: of the chart alone, "" where it can't be shown elsewhere; why: then
    why not. html: to be copied. link: the name of the link that the chart ends with, "" of a public
    corpus. files: pictures to download."""

    title: str
    sentence: str
    drawn: str
    address: str
    html: str
    why: str
    by_link: bool
    link: str
    files: list[tuple[str, str]]
    page: str


def _query(request: HttpRequest) -> QueryDict:
    """The conditions of the chart, without the key."""
    query = request.GET.copy()
    query.pop(KEY, None)
    return query


def _chart_path(run_id: int, name: str, query: QueryDict) -> str:
    """What a key is made for."""
    path = reverse("embed", args=[run_id, name])
    return f"{path}?{query.urlencode()}" if query else path


def _view(run: Run, query: QueryDict) -> RunView:
    return RunView.for_page(query, {"run": run})


def _chart_name(name: str) -> charts.Name:
    for chart_name in NAMES:
        if chart_name == name:
            return chart_name
    raise Http404(NOT_SHOWN)


def _find_chart(run_id: int, name: str, query: QueryDict, key: str) -> tuple[Run, Chart]:
    """A chart as everybody sees it who has its address. Raises Http404."""
    chart_name = _chart_name(name)
    run = unchecked_run(run_id)  # whoever asks: `framing` decides
    path = _chart_path(run_id, name, query)
    person = framing.reader_of(run.corpus, path, key)
    if person is None or len(path) > LONGEST_ADDRESS:
        raise Http404(NOT_SHOWN)
    # Whoever has signed in sees no more here than anybody else
    with embargo.reading(person):
        return run, charts.chart(_view(run, query), chart_name, query)


@require_safe
def embedded(request: HttpRequest, run_id: int, chart: str) -> HttpResponse:
    """The chart alone, with its sentence and source. No cookie is set or asked for."""
    run, shown_chart = _find_chart(run_id, chart, _query(request), request.GET.get(KEY, ""))
    description = urlencode({"url": request.build_absolute_uri()})
    page = EmbeddedPage(
        title=shown_chart.title,
        sentence=shown_chart.sentence,
        drawn=pictures.as_svg(shown_chart.picture),
        source=run.corpus.name,
        page=request.build_absolute_uri(shown_chart.page),
        oembed=f"{request.build_absolute_uri(reverse('oembed'))}?{description}",
    )
    response = rendered(request, "embed.html", {"page": page}, HTTPStatus.OK)
    return framing.let_into_frames(response, run.corpus)


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """The description of a chart for programs (oembed.com, 1.0), of addresses of this server
    alone."""
    if request.GET.get("format", "json") != "json":
        error = {"error": "Only JSON is written."}
        return json_answer(request, error, HTTPStatus.NOT_IMPLEMENTED)
    address = request.GET.get("url", "")
    run_id, name, query = _target(request, address)
    key = query.get(KEY, "")
    query.pop(KEY, None)
    run, shown_chart = _find_chart(run_id, name, query, key)
    width = _pixels(request, "maxwidth", FRAME_WIDTH)
    height = _pixels(request, "maxheight", FRAME_HEIGHT)
    return json_answer(
        request,
        {
            "version": "1.0",
            "type": "rich",
            "title": f"{shown_chart.title} · {run.corpus.name}",
            "provider_name": "Topograph",
            "provider_url": request.build_absolute_uri("/"),
            "width": width,
            "height": height,
            "html": _frame(
                _own_address(request, run_id, name, query, key), shown_chart, width, height
            ),
        },
        HTTPStatus.OK,
    )


def _target(request: HttpRequest, address: str) -> tuple[int, str, QueryDict]:
    """The run, the chart and the query of an address of this server. Raises Http404 for every other
    address, also where only a part of it is another's."""
    try:
        parts = urlsplit(address)
        is_ours = (parts.scheme, parts.netloc) == (request.scheme, request.get_host())
        match = resolve(parts.path) if is_ours and len(address) < LONGEST_ADDRESS else None
    except (ValueError, Resolver404):
        match = None
    if match is None or match.url_name != "embed" or parts.fragment:
        raise Http404(NOT_SHOWN)
    return match.kwargs["run_id"], match.kwargs["chart"], QueryDict(parts.query, mutable=True)


def _own_address(request: HttpRequest, run_id: int, name: str, query: QueryDict, key: str) -> str:
    """The address of a chart, made anew: nothing that was sent is repeated as it came."""
    with_key = query.copy()
    if key:
        with_key[KEY] = key
    return request.build_absolute_uri(_chart_path(run_id, name, with_key))


def _pixels(request: HttpRequest, name: str, usual: int) -> int:
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        return usual
    return min(usual, max(SMALLEST_FRAME, int(text)))


def _frame(address: str, shown_chart: Chart, width: int, height: int) -> str:
    """The HTML to copy. The chart fits into whatever size the other page gives it."""
    return format_html(
        '<iframe src="{}" title="{}" width="{}" height="{}" loading="lazy"'
        ' referrerpolicy="no-referrer" style="border:0;max-width:100%"></iframe>',
        address,
        shown_chart.title,
        width,
        height,
    )


@typed("run/embed.html")
def of_run(
    request: HttpRequest, run: Run, view: RunView, chart: str
) -> HtmlPageResponse[EmbedPage]:
    """The HTML to copy, and the chart as a file."""
    query = _query(request)
    shown_chart = charts.chart(view, _chart_name(chart), query)
    path = _chart_path(run.pk, chart, query)
    key, link, why = _key(request, run.corpus, path)
    address = "" if why else _own_address(request, run.pk, chart, query, key)
    conditions = f"?{query.urlencode()}" if query else ""
    page = EmbedPage(
        title=shown_chart.title,
        sentence=shown_chart.sentence,
        drawn=pictures.as_svg(shown_chart.picture),
        address=address,
        html=_frame(address, shown_chart, FRAME_WIDTH, FRAME_HEIGHT) if address else "",
        why=why,
        by_link=bool(key),
        link=link,
        files=[
            (form.upper(), reverse("run_picture", args=[run.pk, chart, form]) + conditions)
            for form in PICTURES
        ],
        page=shown_chart.page,
    )
    return HtmlPageResponse(page)


def _key(request: HttpRequest, corpus: Corpus, path: str) -> tuple[str, str, str]:
    """The key of a chart, the name of its link, and why there is none. The owner gets one of a link
    that holds; whoever reads by a link gets that link's."""
    if not settings.ACCOUNTS:
        return "", "", "Accounts are off: no other machine can reach this Topograph."
    if not corpus.embed_sites:
        return "", "", "The owner has not allowed any site to show charts of this corpus."
    if corpus.public:
        return "", "", ""
    links = framing.holding_links(corpus)
    if not authorization.may(request, corpus.pk, Role.OWNER):
        links = links.filter(pk__in=authorization.person_of(request).links)
    link = links.first()
    if link is None:
        return "", "", "The corpus is not public: its owner must make a link for it first."
    return framing.key_of(link.pk, path), link.name, ""


@require_safe
@looked_up
def picture(request: HttpRequest, run: Run, chart: str, form: str) -> HttpResponse:
    """The chart as a file: SVG, or PNG at 300 dots per inch."""
    if form not in PICTURES:
        raise Http404(f"There is no picture of the form {form[:10]}.")
    query = _query(request)
    shown_chart = charts.chart(_view(run, query), _chart_name(chart), query)
    content = (
        pictures.as_svg_file(shown_chart.picture)
        if form == "svg"
        else pictures.as_png(shown_chart.picture)
    )
    name = provenance.file_name(run, f"{chart}.{form}")
    return HttpResponse(
        content,
        content_type=PICTURES[form],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
