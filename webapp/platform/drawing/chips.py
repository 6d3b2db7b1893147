"""What stands many times on most pages, put together here: as templates of their own these were
half of the time that a page took.

Known to every template without {% load %} (settings.TEMPLATES).
"""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from webapp.platform.drawing.numbers import hue, width
from webapp.platform.drawing.protocols import ShareOfDocument, Topic, YearBar

register = template.Library()


@register.simple_tag
def chip(topic: Topic, plain: bool = False, words_follow: bool = False) -> SafeString:
    """{% chip topic %}: a topic wherever it is named, its colour, what readers call it and its
    number; the number first where words stand for a name. plain: no link. words_follow: its first
    words are written behind the chip, which does not say them once more for a name."""
    classes = f"chip t{topic.hue}"
    if topic.has_name:
        content = format_html(
            '<bdi class="name">{}</bdi> <small>{}</small>', topic.name, topic.label
        )
    elif topic.name and not words_follow:
        content = format_html('{} <bdi class="name unnamed">{}</bdi>', topic.label, topic.name)
    else:
        content = format_html("{}", topic.label)
    if topic.into:
        content += format_html(' <span class="into">in {}</span>', topic.into)
    if topic.hidden:
        content += SafeString(' <span class="into">hidden</span>')
        classes += " junk"
    if plain:
        return format_html(
            '<span class="{}" data-topic="{}">{}</span>', classes, topic.number, content
        )
    return format_html(
        '<a class="{}" data-topic="{}" href="{}">{}</a>',
        classes,
        topic.number,
        topic.url,
        content,
    )


@register.simple_tag
def bar(number: int, part: float | None) -> SafeString:
    """{% bar topic.hue topic.share %}: a part of 1 as a bar. number: a topic's hue, or its number
    where it has no link()."""
    return format_html(
        '<svg class="bar {}" width="100%" height="8" aria-hidden="true" focusable="false"><rect'
        ' width="{}" height="8"/></svg>',
        hue(number),
        width(part),
    )


@register.simple_tag
def shares_bar(parts: Iterable[ShareOfDocument]) -> SafeString:
    """{% shares_bar page.proportions %}: the shares of topics in one bar, the first at its left."""
    rectangles = []
    percents_before = 0.0
    for part in parts:
        percents = 100 * part.share
        rectangles.append((hue(part.hue), f"{percents_before:.2f}%", f"{percents:.2f}%"))
        percents_before += percents
    return format_html(
        '<svg class="shares-bar" width="100%" height="10" aria-hidden="true"'
        ' focusable="false">{}</svg>',
        format_html_join("", '<rect class="{}" x="{}" width="{}" height="10"/>', rectangles),
    )


@register.simple_tag
def snippet(parts: Iterable[tuple[str, bool]]) -> SafeString:
    """{% snippet document.snippet %}: a passage in (text, is marked) parts."""
    marked_parts = [
        (format_html("<mark>{}</mark>", text) if match else text,) for text, match in parts or ()
    ]
    return format_html(
        '<p class="snippet" dir="auto">{}</p>', format_html_join("", "{}", marked_parts)
    )


@register.simple_tag
def options(values: Iterable[str]) -> SafeString:
    """{% options names %}: what a <datalist> offers, some hundreds of lines."""
    return format_html_join("", '<option value="{}"></option>', ((value,) for value in values))


@register.simple_tag
def histogram(bars: Iterable[YearBar]) -> SafeString:
    """{% histogram facets.years %}: the bars of templates/_years.html, links all of them."""
    return format_html_join(
        "",
        '<a href="{}" tabindex="-1"><title>{}: {}</title><rect class="hit" x="{}" width="1"'
        ' height="1"/><rect x="{}.08" width="0.84" height="{}"/></a>',
        (
            (column.url, column.label, f"{column.documents:,}", i, i, f"{column.part:.4f}")
            for i, column in enumerate(bars)
        ),
    )
