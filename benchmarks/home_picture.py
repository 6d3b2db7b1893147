"""The picture on the home page, templates/_home_picture.html, from a run of the example.

    python3 manage.py start    # in one terminal; it trains the example by itself
    .venv/bin/python -m benchmarks.home_picture http://127.0.0.1:8000/runs/1/

The places, sizes, families' colours and names are those of the run's own map of topics. The last line
is the size of the file.
"""

import html
import sys
import urllib.request

import orjson

from benchmarks.origin import ROOT, options

TEMPLATE = ROOT / "templates" / "_home_picture.html"
WIDTH = 640  # of the run's map, in its own units
HEIGHT = 480
READ_ALOUD = 3  # topics that are read aloud in place of the picture


def main(arguments: list[str]) -> int:
    parser = options(__doc__, {"run": {"help": "the address of the run's page"}})
    address = parser.parse_args(arguments).run.rstrip("/")
    with urllib.request.urlopen(f"{address}.json") as answer:
        run = orjson.loads(answer.read())
    topics = sorted(run["forming"]["topics"], key=lambda topic: -topic["share"])
    TEMPLATE.write_text(picture_of(topics), encoding="utf-8")
    print(f"{TEMPLATE.name}: {TEMPLATE.stat().st_size:,} bytes")
    return 0


def picture_of(topics: list[dict]) -> str:
    """topics: as the run's JSON has them, the largest first."""
    names = [html.escape(topic["name"]) for topic in topics if topic["has_name"]]
    label = f"A map of {len(topics)} topics, such as {'; '.join(names[:READ_ALOUD])}"
    circles = "\n".join(_circle(topic) for topic in topics)
    return f"""<figure class="home-picture">
<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">
{circles}
</svg>
<figcaption>The {len(topics)} largest topics of one run on the example, with the names that Topograph gave them. Topics that
are near each other have words in common; a larger circle holds more of the text.</figcaption>
</figure>
"""


def _circle(topic: dict) -> str:
    name = ""
    if topic["labelled"] and topic["has_name"]:
        name = f'<text x="{topic["dx"]}" y="{topic["dy"]}">{html.escape(topic["name"])}</text>'
    translation = f"translate({topic['cx']} {topic['cy']})"
    return (
        f'<g class="t{topic["hue"]}" transform="{translation}"><circle r="{topic["r"]}"/>{name}</g>'
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
