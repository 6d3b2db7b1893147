"""What corpora, versions and runs take on the disk, by part: files, and tables of Postgres with their indexes.

    python -m benchmarks.disk FOLDER      the state folder of a Topograph, running or not

Each part is told in MB, and as a multiple of the corpus's uploaded files; files count as many blocks as they take.
"""

import os
import sys
from collections import Counter
from pathlib import Path


def main(folder: str) -> None:
    os.environ["TOPOGRAPH_DATA"] = str(Path(folder).resolve())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    from webapp.local import servers

    with servers.for_command():
        import django

        django.setup()
        from webapp.models import Corpus

        for corpus in Corpus.objects.filter(status="ready").order_by("pk"):
            tell(corpus)


def tell(corpus) -> None:
    from webapp.models import Run, Snapshot, Version
    from webapp.storage import files

    source = files.corpus_folder(corpus.pk) / "source"
    upload = size(source)
    print(
        f"\n{corpus.name}: {corpus.documents:,} documents, {corpus.tokens:,} words, V = {corpus.vocabulary:,}, uploaded {upload / 1e6:,.1f} MB"
    )
    table("corpus", of_files(files.corpus_folder(corpus.pk), "source") | of_table("document", corpus.pk), upload)
    for version in Version.objects.filter(corpus=corpus).order_by("pk"):
        table(
            f"version {version.number}",
            of_files(files.version_folder(version.pk)) | of_table("word", version.pk),
            upload,
        )
    for run in Run.objects.filter(corpus=corpus, status="done").order_by("pk"):
        parts = of_files(files.run_folder(run.pk))
        for pk in Snapshot.objects.filter(run=run).order_by("pk").values_list("pk", flat=True):
            parts |= {f"snapshot {pk} {name}": n for name, n in of_table("topic_word", pk).items()}
        table(f"run {run.pk}, {run.engine}, K = {run.topics}", parts, upload)


def table(title: str, parts: dict[str, int], upload: int) -> None:
    total = sum(parts.values())
    print(f"  {title}: {total / 1e6:,.1f} MB, {total / upload:.2f} times the upload")
    for name, n in sorted(parts.items(), key=lambda part: -part[1]):
        if n > total / 200:
            print(f"    {name:50} {n / 1e6:10,.2f} {n / upload:8.3f}")


def of_files(folder: Path, but: str = "") -> dict[str, int]:
    """Bytes of each file, those of an index's segments together."""
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*") if folder.exists() else ():
        name = path.relative_to(folder)
        if path.is_file() and name.parts[0] != but:
            sizes["index" if name.parts[0] == "index" else str(name)] += path.stat().st_blocks * 512
    return dict(sizes)


def of_table(name: str, key: int) -> dict[str, int]:
    """Bytes of a partition: its rows, what it keeps beside them, and each index."""
    from webapp.storage.sql import rows

    wanted = {"name": f"{name}_{key}"}
    parts = rows(
        "SELECT pg_table_size(to_regclass(%(name)s)) AS all, pg_relation_size(to_regclass(%(name)s)) AS heap", wanted
    )[0]
    if parts["all"] is None:
        return {}
    indexes = rows(
        "SELECT c.relname AS name, pg_relation_size(c.oid) AS n FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE i.indrelid = to_regclass(%(name)s)", wanted,
    )  # fmt: skip
    sizes = {f"table {name}": parts["heap"], f"table {name}, long values": parts["all"] - parts["heap"]}
    return sizes | {f"index {row['name'].replace(f'_{key}', '')}": row["n"] for row in indexes}


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(sys.argv[1])
