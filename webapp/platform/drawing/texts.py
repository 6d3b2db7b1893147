"""Texts with their words by topic, and the strip along a document.

f-strings, and not format_html: a page has some 8,000 words, and format_html takes 20 to 60
microseconds more for each, measured.
"""

from collections.abc import Collection, Iterable, Sequence

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.protocols import Stretch, TopicOfDocument

register = template.Library()

Word = tuple[str, int, int, int | None, float]  # documents.texts.Word

CERTAIN = 0.5  # below it other topics together are more likely
STACKED = 8  # topics that a strip tells apart; the others are one
WIDTH = "1.02"  # of a stretch: no gap is seen between two


@register.simple_tag
def coloured(
    words: Iterable[Word], shown_topics: Collection[int], hues: Sequence[int], marked_word: int = -1
) -> SafeString:
    """Each word as a span; those of the topics in `shown_topics` in colour. marked_word: the
    character that is linked to, -1 for none."""
    parts = []
    is_linked = marked_word < 0
    for text, start, word, topic, certainty in words:
        if not is_linked and marked_word <= start:
            parts.append('<a id="here"></a>')
            is_linked = True
        if topic is None:  # what stands between words
            parts.append(escape(text))
            continue
        classes = f"w t{hues[topic]}"
        if certainty < CERTAIN:
            classes += " maybe"
        if topic in shown_topics:
            classes += " on"
        parts.append(
            f'<span class="{classes}" data-topic="{topic}" data-word="{word}"'
            f' data-p="{100 * certainty:.0f}">{escape(text)}</span>'
        )
    return mark_safe("".join(parts))  # texts are escaped above, the rest is numbers


@register.simple_tag
def strip(
    stretches: Sequence[Stretch],
    shown_topics: Collection[int],
    hues: Sequence[int],
    largest: Sequence[TopicOfDocument],
) -> SafeString:
    """The stretches of a document as links in an SVG, each one unit wide; topics stand on one another in the order of
    `largest`."""
    stacked = [topic.number for topic in largest[:STACKED]]
    parts = [
        f'<svg class="strip" viewBox="0 0 {len(stretches)} 1" preserveAspectRatio="none"'
        ' width="100%" height="56" role="img" aria-hidden="true">'
    ]
    for i, stretch in enumerate(stretches):
        parts.append(
            f'<a href="{escape(stretch.url)}" tabindex="-1"><rect class="ground" x="{i}"'
            f' width="{WIDTH}" height="1"/>'
        )
        share_of_topic = dict(stretch.topics)
        floor = 1.0
        for topic in stacked:
            if topic not in share_of_topic:
                continue
            share = share_of_topic[topic]
            floor -= share
            classes = f"s t{hues[topic]}"
            if topic in shown_topics:
                classes += " on"
            y = max(floor, 0)
            parts.append(
                f'<rect class="{classes}" data-topic="{topic}" x="{i}" y="{y:.4f}"'
                f' width="{WIDTH}" height="{share:.4f}"/>'
            )
        parts.append("</a>")
    parts.append("</svg>")
    return mark_safe("".join(parts))  # numbers, and addresses that are escaped
