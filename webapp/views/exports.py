"""Downloads of a run's results."""

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_GET

from webapp.models import Run
from webapp.queries import exports
from webapp.views.pages import number


@require_GET
async def csv(request: HttpRequest, run_id: int, form: str) -> StreamingHttpResponse:
    run = await Run.objects.select_related("corpus", "snapshot").filter(pk=run_id).afirst()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    if run.snapshot is None or (form == "document-topics" and not run.snapshot.final):
        raise Http404(f"Run {run_id} has not stored these results yet.")
    options = {}
    if form == "topics-wide":
        options["words"] = number(request, "words", exports.WORDS)
        if not 1 <= options["words"] <= exports.MAX_WORDS:
            raise BadRequest(f"“words” must be from 1 to {exports.MAX_WORDS}, got {options['words']}.")
    name = exports.file_name(run, form)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        # Django 5.2's GZipMiddleware makes each piece of an async stream a gzip file of its own; browsers read the first.
        "Content-Encoding": "identity",
    }
    pieces = exports.astream(exports.FORMS[form](run, **options))
    return StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8", headers=headers)
