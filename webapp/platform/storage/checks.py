"""Django's check of the settings of a store: commands, and the start of Topograph, refuse with its
sentence."""

from django.conf import settings
from django.core import checks

from webapp.platform.storage import s3

TAG = "topograph"


@checks.register(TAG)
def store_can_be_used(app_configs, **_) -> list[checks.CheckMessage]:
    sentence = s3.refusal() if settings.STORE else ""
    return [checks.Error(sentence, id="topograph.E001")] if sentence else []
