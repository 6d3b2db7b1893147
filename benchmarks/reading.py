"""How long the files of an archive take to read: by one worker process of the sandbox, and by as many as this machine allows.

    .venv/bin/python -m benchmarks.reading [--files 300] [--pages 20]

A ZIP archive of PDF files of so many pages each, and one of HTML files of 40 kB, made of the shipped State of the Union. Their
documents are taken in order, and nothing is done with them. Both ways take turns; seconds of the clock, the median of three,
and the processor's of this process.

The last line is `ratio: R`: one process's seconds over those of several, for PDF.
"""

import argparse
import itertools
import statistics
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engines import corpora
from tests import bad_input
from webapp import readers
from webapp.readers import sandbox

TURNS = 3
LINES, WIDTH = 50, 90  # of a page
HTML = 40_000  # characters of a file


def pdf(pages: list[list[str]]) -> bytes:
    """A PDF file with these lines."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for i, lines in enumerate(pages):
        shown = " ".join(f"({line.translate(_ESCAPED)}) Tj T*" for line in lines)
        stream = f"BT /F1 10 Tf 12 TL 50 780 Td {shown} ET"
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * i} 0 R>>",
            f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        ]
    return bad_input.pdf(*objects)


_ESCAPED = str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"})


def archives(folder: Path, files: int, pages: int) -> Iterator[Path]:
    words = " ".join(" ".join(corpora.texts(corpora.FILES["sotu"])).split()).encode("ascii", "ignore").decode()
    lines = itertools.cycle(textwrap.wrap(words, WIDTH))
    letters = itertools.cycle(words[i : i + HTML] for i in range(0, len(words) - HTML, HTML))
    makers = {
        "pdf": lambda: pdf([list(itertools.islice(lines, LINES)) for _ in range(pages)]),
        "html": lambda: f"<!doctype html><title>Some pages</title><p>{next(letters)}</p>".encode(),
    }
    for kind, make in makers.items():
        path = folder / f"{kind}.zip"
        path.write_bytes(bad_input.zipped(*((f"{i:05}.{kind}", make()) for i in range(files))))
        yield path


def taken(path: Path) -> tuple[float, float, int]:
    """Seconds of the clock, of this process's processor, and documents."""
    sandbox.close()
    options = readers.sniff(path, path.name).options
    began, cpu = time.perf_counter(), time.process_time()
    documents = sum(isinstance(item, readers.Document) for item in readers.read(path, path.name, options))
    return time.perf_counter() - began, time.process_time() - cpu, documents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--pages", type=int, default=20)
    given = parser.parse_args()
    several = sandbox.processes()
    ratios = {}
    print(f"archive | documents | one process: s, s of the processor here | {several} processes")
    with tempfile.TemporaryDirectory() as name:
        for path in archives(Path(name), given.files, given.pages):
            rows: dict[int, list[tuple[float, float, int]]] = {1: [], several: []}
            for _ in range(TURNS):
                for processes, row in rows.items():
                    sandbox.processes = lambda processes=processes: processes
                    row.append(taken(path))
            medians = {
                processes: [statistics.median(column) for column in zip(*row, strict=True)]
                for processes, row in rows.items()
            }
            cells = " | ".join(f"{clock:.2f}, {cpu:.2f}" for clock, cpu, _ in medians.values())
            print(f"{path.name}, {path.stat().st_size / 1e6:.1f} MB | {rows[1][0][2]} | {cells}", flush=True)
            ratios[path.stem] = medians[1][0] / medians[several][0]
    sandbox.close()
    print(f"ratio: {ratios['pdf']:.2f}")


if __name__ == "__main__":
    main()
