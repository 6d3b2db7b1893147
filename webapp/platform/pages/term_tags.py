"""Template tag {% term "coherence" %}: a button that opens a definition; the definitions stand
once, at the foot of the page."""

import re
from itertools import zip_longest

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from webapp.platform.pages.glossary import TERMS

register = template.Library()
_MARKED = re.compile(r"\[([\w-]+)\|([^\]]*)\]")


@register.simple_tag(takes_context=True)
def term(context, slug: str, text: str = ""):
    """A button that opens the definition, without JavaScript. `text`: what it is called here, where
    that is not its name.

    Raises KeyError for a word that the glossary lacks.
    """
    definition = TERMS[slug]
    context["request"].terms = getattr(context["request"], "terms", {}) | {slug: definition}
    return format_html(
        '<button type="button" class="term" popovertarget="term-{}">{}</button>',
        slug,
        text or definition.name,
    )


@register.simple_tag(takes_context=True)
def term_of(context, slug: str, text: str):
    """A link to the glossary for a name that comes from elsewhere; plain text where the glossary
    lacks it."""
    return term(context, slug, text) if slug in TERMS else text


@register.simple_tag(takes_context=True)
def with_terms(context, sentence: str):
    """A sentence of which the words in [slug|text] open their definitions: "[nat|nats] per
    [token|token]"."""
    plain = [(part,) for part in _MARKED.split(sentence)[::3]]
    marked_terms = [(term(context, slug, text),) for slug, text in _MARKED.findall(sentence)]
    return format_html_join(
        "",
        "{}",
        [part for pair in zip_longest(plain, marked_terms, fillvalue=("",)) for part in pair],
    )


@register.inclusion_tag("_terms.html", takes_context=True)
def definitions(context):
    """The definitions of the words that were asked for above."""
    return {
        "terms": sorted(getattr(context.get("request"), "terms", {}).items()),
        "glossary": reverse("glossary"),
    }
