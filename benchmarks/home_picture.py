"""The picture on the home page, from a run of the example: templates/_home_picture.html.

python3 manage.py start                                       # in one terminal; it trains the example by itself
.venv/bin/python -m benchmarks.home_picture http://127.0.0.1:8000/runs/1/
"""

import html
import json
import sys
import urllib.request
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parent.parent / "templates" / "_home_picture.html"
WIDTH, HEIGHT = 640, 480


def main(url: str) -> None:
    with urllib.request.urlopen(f"{url.rstrip('/')}.json") as answer:
        run = json.load(answer)
    topics = sorted(run["forming"]["topics"], key=lambda topic: -topic["share"])
    circles = "\n".join(_circle(topic) for topic in topics)
    TEMPLATE.write_text(f"""<figure class="home-picture">
<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="A map of {len(topics)} topics, such as {_said(topics)}">
{circles}
</svg>
<figcaption>The {len(topics)} topics of the example, as Topograph found and named them. Topics that
are near each other have words in common; a larger circle holds more of the text.</figcaption>
</figure>
""")
    print(TEMPLATE, TEMPLATE.stat().st_size, "bytes")


def _said(topics: list[dict]) -> str:
    return "; ".join(html.escape(topic["name"]) for topic in topics[:3])


def _circle(topic: dict) -> str:
    name = f'<text x="{topic["dx"]}" y="{topic["dy"]}">{html.escape(topic["name"])}</text>' if topic["labelled"] else ""
    at = f'transform="translate({topic["cx"]} {topic["cy"]})"'
    return f'<g class="t{topic["hue"]}" {at}><circle r="{topic["r"]}"/>{name}</g>'


if __name__ == "__main__":
    main(sys.argv[1])
