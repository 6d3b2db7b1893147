"""What stands many times on most pages, put together here: as templates of their own these were half of the time that a page took.

Known to every template without {% load %} (settings.TEMPLATES).
"""

from collections.abc import Iterable

from django import template
from django.utils.html import conditional_escape as escape
from django.utils.safestring import SafeString, mark_safe

from webapp.drawing.numbers import hue, width

register = template.Library()


@register.simple_tag
def chip(topic: dict, plain: bool = False) -> SafeString:
    """{% chip topic %}: a topic wherever it is named, its colour, number and what readers call it. topic: a link() of results.topics, or more;
    plain: no link."""
    hidden, name, into = topic.get("hidden"), topic.get("name"), topic.get("into")
    begin = f'class="chip t{topic["hue"]}{" junk" if hidden else ""}" data-topic="{topic["number"]}"'
    said = escape(topic["label"])
    if name:
        said += f' <bdi class="name">{escape(name)}</bdi>'
    if into:
        said += f' <span class="into">in {escape(into)}</span>'
    if hidden:
        said += ' <span class="into">hidden</span>'
    if plain:
        return mark_safe(f"<span {begin}>{said}</span>")
    return mark_safe(f'<a {begin} href="{escape(topic["url"])}">{said}</a>')


@register.simple_tag
def bar(number: int, part: float | None) -> SafeString:
    """{% bar topic.hue topic.share %}: a part of 1 as a bar. number: a topic's hue, or its number where it has no link()."""
    return mark_safe(
        f'<svg class="bar {hue(number)}" width="100%" height="8" aria-hidden="true" focusable="false"><rect width="{width(part)}" height="8"/></svg>'
    )


@register.simple_tag
def snippet(parts: Iterable[tuple[str, bool]]) -> SafeString:
    """{% snippet document.snippet %}: a passage in (text, is marked) parts."""
    said = "".join(f"<mark>{escape(text)}</mark>" if match else escape(text) for text, match in parts or ())
    return mark_safe(f'<p class="snippet" dir="auto">{said}</p>')


@register.simple_tag
def options(values: Iterable[str]) -> SafeString:
    """{% options names %}: what a <datalist> offers, some hundreds of lines."""
    return mark_safe("".join(f'<option value="{escape(value)}"></option>' for value in values))


@register.simple_tag
def histogram(bars: list[dict]) -> SafeString:
    """{% histogram facets.years %}: the bars of templates/_years.html, links all of them."""
    return mark_safe(
        "".join(
            f'<a href="{escape(bar["url"])}" tabindex="-1"><title>{escape(bar["label"])}: {bar["documents"]:,}</title><rect class="hit" x="{i}" width="1" height="1"/>'
            f'<rect x="{i}.08" width="0.84" height="{bar["part"]:.4f}"/></a>'
            for i, bar in enumerate(bars)
        )
    )
