"""{% reading_notice %}: the sentence that a record of reading is kept, on each page of a corpus
whose owner has one."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from webapp.models import Corpus
from webapp.platform.accounts import readings

register = template.Library()


@register.simple_tag(takes_context=True)
def reading_notice(context: template.Context, corpus: Corpus | None = None) -> SafeString | str:
    """corpus: by default that of the page, or of its run; "" on pages of none."""
    run = context.get("run")
    corpus = corpus or context.get("corpus") or getattr(run, "corpus", None)
    if not isinstance(corpus, Corpus):
        return ""
    sentence = readings.sentence(corpus)
    return format_html('<p class="notice recorded">{}</p>', sentence) if sentence else ""
