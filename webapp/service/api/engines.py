"""The engines that train topics, and the settings of each."""

from django.http import HttpRequest
from ninja import Router

from inference import engines
from webapp.service.api import shapes
from webapp.service.api.corpora import ERRORS

router = Router()


@router.get(
    "",
    response={200: shapes.Engines, **ERRORS},
    summary="Engines that train topics, with their settings",
)
def listed(request: HttpRequest):
    return {
        "items": [
            {
                "name": name,
                "label": engine.ABOUT.label,
                "help": engine.ABOUT.help,
                "purpose": engine.ABOUT.purpose,
                "source": engine.ABOUT.source,
                "settings": [
                    {"type": s.type.__name__, "choices": list(s.choices)}
                    | {
                        key: getattr(s, key)
                        for key in ("name", "label", "help", "default", "required")
                    }
                    for s in engines.fields(name)
                ],
            }
            for name, engine in engines.ENGINES.items()
        ],
        "default": engines.DEFAULT,
    }
