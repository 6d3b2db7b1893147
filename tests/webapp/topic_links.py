"""Links to topics, as pages have them, without a run."""

from webapp.core.results.links import TopicLink


def topic_link(number: int, name: str, has_name: bool) -> TopicLink:
    """name: its words, where has_name is not."""
    return TopicLink(
        number=number,
        label=f"T{number:02}",
        name=name,
        has_name=has_name,
        background=False,
        head=None,
        slot=0,
        hue=0,
        hidden=False,
        into="",
        url="",
    )
