"""Large uploads of unusual shapes, and whether somebody with a small upload notices them.

    python -m benchmarks.unusual_uploads [--quick] [--only WORDS] [--port N] [--json FILE]

A Topograph of its own reads, one after the other: a vocabulary of 5,000,000 words, 1,000,000 short documents in one table, a
zip of 100,000 files, and one line of 200 MB. While each is read, somebody else uploads and reads the example again and again,
and opens pages. Prints for each: what came of it, seconds, the largest memory of a process, the small upload's longest
seconds (and alone), and the 95th percentile of its pages. --quick: a twentieth of each.
The last line is `noticed: N of M`: uploads during which the small one took more than four times its seconds alone (two
cores, of which the large one has one) or a page more than a second.
"""

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.whole_path import Browser, read, upload
from tests.conftest import System, start
from tests.local.test_start import processes

TIMES, PAGE_SECONDS = 4.0, 1.0
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(number: int) -> str:
    """A different word of letters for each number."""
    out = ""
    while True:
        number, letter = divmod(number, 26)
        out += LETTERS[letter]
        if not number:
            return out + "x"


def large_vocabulary(path: Path, share: float) -> Path:
    """Ten words a document that no other document has, and five that all share."""
    path = path / "vocabulary.csv"
    with path.open("w") as file:
        file.write("id,text\n")
        for i in range(int(500_000 * share)):
            file.write(f"{i}," + " ".join(word(10 * i + k) for k in range(10)) + " war peace land trade law\n")
    return path


def short_documents(path: Path, share: float) -> Path:
    path = path / "short.csv"
    with path.open("w") as file:
        file.write("id,text\n")
        for i in range(int(1_000_000 * share)):
            file.write(f"{i}," + " ".join(word((i * k * 7919) % 5000) for k in range(1, 9)) + "\n")
    return path


def many_files(path: Path, share: float) -> Path:
    path = path / "files.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(int(100_000 * share)):
            archive.writestr(f"{i % 100:02d}/{i}.txt", " ".join(word((i * k * 31) % 3000) for k in range(1, 30)))
    return path


def one_line(path: Path, share: float) -> Path:
    path = path / "line.txt"
    with path.open("w") as file:
        for i in range(int(2_000 * share)):
            file.write(" ".join(word((i * k) % 20_000) for k in range(35_000))[:100_000])
    return path


UPLOADS: dict[str, Callable[[Path, float], Path]] = {
    "a vocabulary of 5,000,000 words": large_vocabulary,
    "1,000,000 short documents": short_documents,
    "a zip of 100,000 files": many_files,
    "one line of 200 MB": one_line,
}
# The usual limits would leave out the words that make it large.
FIELDS = {"a vocabulary of 5,000,000 words": {"min_documents": "1", "max_share": "100"}}


def paged(browser: Browser, corpus: int) -> Iterator[float]:
    """Seconds of some pages of a corpus that is ready."""
    for path in ("/", f"/corpora/{corpus}/", f"/corpora/{corpus}/documents/", f"/corpora/{corpus}/documents/?q=war"):
        began = time.time()
        browser.get(path)
        yield time.time() - began


def memory(system: System) -> float:
    """MB of the largest process of the system."""
    largest = 0
    for pid in processes(system.data):
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        largest = max(largest, int(status.split("VmRSS:")[1].split()[0]) if "VmRSS:" in status else 0)
    return largest / 1e3


def beside(system: System, file: Path, fields: dict[str, str]) -> dict:
    """Read a file, and the example again and again meanwhile."""
    result: list[tuple[str, float, int]] = []
    reading = threading.Thread(target=lambda: result.append(read(Browser(system.url), file, fields)), daemon=True)
    other, small, pages, largest = Browser(system.url), [], [], 0.0
    reading.start()
    while reading.is_alive():
        corpus, seconds = upload(other)
        small.append(seconds)
        pages += paged(other, corpus)
        largest = max(largest, memory(system))
    outcome, seconds, _ = result[0] if result else ("broke", float("nan"), 0)
    return {
        "came of it": outcome, "seconds": seconds, "memory_mb": largest, "small_seconds": max(small),
        "page_p95_seconds": statistics.quantiles(pages, n=20, method="inclusive")[-1], "page_seconds": max(pages),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a twentieth of each")
    parser.add_argument("--only", metavar="WORDS", help="uploads whose name has these words")
    parser.add_argument("--port", type=int, default=8441)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    chosen = {name: make for name, make in UPLOADS.items() if not given.only or given.only in name}
    if not chosen:
        sys.exit(f"No upload has “{given.only}” in its name.")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system = start(folder / "data", "--port", str(given.port))
        try:
            upload(Browser(system.url))  # compiles, fills caches
            alone = upload(Browser(system.url))[1]
            print(f"the small upload alone: {alone:.1f} s", flush=True)
            for title, make in chosen.items():
                file = make(folder, 0.05 if given.quick else 1.0)
                row = {"upload": title, "mb": file.stat().st_size / 1e6} | beside(system, file, FIELDS.get(title, {}))
                row["noticed"] = row["small_seconds"] > TIMES * alone or row["page_seconds"] > PAGE_SECONDS
                rows.append(row)
                file.unlink()
                print(
                    f"{title} ({row['mb']:.0f} MB): {row['came of it']}; {row['seconds']:.0f} s, {row['memory_mb']:.0f} MB; the small "
                    f"upload {row['small_seconds']:.1f} s; pages {1e3 * row['page_p95_seconds']:.0f} ms (95%), "
                    f"{1e3 * row['page_seconds']:.0f} ms at most{'; NOTICED' if row['noticed'] else ''}",
                    flush=True,
                )
        finally:
            system.stop()
    if given.json:
        given.json.write_text(json.dumps({"alone_seconds": alone, "uploads": rows}, indent=1) + "\n")
    print(f"noticed: {sum(row['noticed'] for row in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
