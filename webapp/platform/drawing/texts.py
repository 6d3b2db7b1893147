"""Texts with their words by topic, and the strip along a document.

f-strings, and not format_html: a page has some 8,000 words, and format_html takes 20 to 60
microseconds more for each, measured.
"""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

CERTAIN = 0.5  # below it other topics together are more likely
STACKED = 8  # topics that a strip tells apart; the others are one


@register.simple_tag
def coloured(words, shown: set[int], hues: list[int], here: int = -1) -> SafeString:
    """Each word of documents.texts.words as a span; those of the topics in `shown` in colour. here:
    the character that is linked to."""
    out = []
    for text, start, word, topic, certainty in words:
        if 0 <= here <= start:
            out.append('<a id="here"></a>')
            here = -1
        if topic is None:
            out.append(escape(text))
            continue
        kind = (
            f"w t{hues[topic]}"
            + (" maybe" if certainty < CERTAIN else "")
            + (" on" if topic in shown else "")
        )
        out.append(
            f'<span class="{kind}" data-topic="{topic}" data-word="{word}"'
            f' data-p="{100 * certainty:.0f}">{escape(text)}</span>'
        )
    return mark_safe("".join(out))  # texts are escaped above, the rest is numbers


@register.simple_tag
def strip(sections, shown: set[int], hues: list[int], largest: Sequence[Any]) -> SafeString:
    """The sections as links in an SVG of one unit each; topics stand on one another in the order of
    `largest`."""
    apart = [part.number for part in largest[:STACKED]]
    out = [
        f'<svg class="strip" viewBox="0 0 {len(sections)} 1" preserveAspectRatio="none"'
        ' width="100%" height="56" role="img" aria-hidden="true">'
    ]
    for i, section in enumerate(sections):
        share = dict(section.topics)
        out.append(
            f'<a href="{escape(section.url)}" tabindex="-1"><rect class="ground" x="{i}"'
            ' width="1.02" height="1"/>'
        )
        floor = 1.0
        for k in apart:
            if k in share:
                floor -= share[k]
                on = " on" if k in shown else ""
                out.append(
                    f'<rect class="s t{hues[k]}{on}" data-topic="{k}" x="{i}"'
                    f' y="{max(floor, 0):.4f}" width="1.02" height="{share[k]:.4f}"/>'
                )
        out.append("</a>")
    return mark_safe("".join([*out, "</svg>"]))  # numbers, and addresses that are escaped
