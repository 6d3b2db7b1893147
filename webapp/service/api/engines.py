"""The engines that train topics, and the settings of each."""

from typing import Any

from django.http import HttpRequest
from ninja import Router

from inference import engines
from inference.engines.settings import Setting
from webapp.service.api import shapes
from webapp.service.api.corpora import ERRORS

router = Router()


@router.get(
    "",
    response={200: shapes.Engines, **ERRORS},
    summary="Engines that train topics, with their settings",
)
def listed(request: HttpRequest):
    return {"items": [_about(name) for name in engines.ENGINES], "default": engines.DEFAULT}


def _about(name: str) -> dict[str, Any]:
    """An engine, as shapes.Engine."""
    about = engines.get(name).ABOUT
    return {
        "name": name,
        "label": about.label,
        "help": about.help,
        "purpose": about.purpose,
        "source": about.source,
        "settings": [_setting(setting) for setting in engines.fields(name)],
    }


def _setting(setting: Setting) -> dict[str, Any]:
    """A setting in JSON, with the keys of shapes.Setting."""
    return {
        "type": setting.type.__name__,
        "choices": list(setting.choices),
        "name": setting.name,
        "label": setting.label,
        "help": setting.help,
        "default": setting.default,
        "required": setting.required,
    }
