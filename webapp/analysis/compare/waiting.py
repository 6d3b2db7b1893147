"""Two runs that a worker compares, as pages and the API say it."""

from webapp.analysis.compare.matchings import Unmatched
from webapp.analysis.compare.shapes import Comparing
from webapp.core.results import links


def describe(state: Unmatched) -> Comparing:
    """What is shown meanwhile, with where a form asks again for a comparison that failed."""
    return Comparing(
        run=state.a,
        other=state.b,
        status=state.status,
        done=state.done,
        error=state.error,
        notice=state.notice,
        again=links.compare_again_url(state.a, state.b) if state.has_failed else None,
    )
