"""A backup's file: what is not whole, not ours or not understood is refused with a sentence, before
anything is touched."""

import io
import json
import tarfile

import pyarrow as pa
import pytest

from inference.errors import Invalid
from webapp.service.operations import backup_file, restore

HEAD = {
    "made": "2026-01-01T00:00:00+00:00",
    "topograph": "0.1.0",
    "postgres": "18",
    "migrations": [],
    "sequences": {},
    "tables": {"a": ["x"]},
    "partitions": {},
}


@pytest.fixture()
def backup(tmp_path):
    path = tmp_path / "backup.tar.zst"
    with path.open("wb") as file, backup_file.Writer(file, HEAD) as writer:
        writer.add_bytes("rows/a/000000", b"1\n2\n" * 50_000)
        writer.table("a", 100_000)
        writer.add(
            "files/corpora/1/source/000000", 3 << 20, io.BytesIO(bytes(range(256)) * (3 << 12))
        )
        writer.close()
    return path


def test_it_comes_back_as_it_went(backup):
    assert backup_file.verify(backup) == {"a": 100_000}
    found = {member.name: b"".join(member.blocks()) for member in backup_file.members(backup)}
    assert found == {
        "rows/a/000000": b"1\n2\n" * 50_000,
        "files/corpora/1/source/000000": bytes(range(256)) * (3 << 12),
    }
    assert backup_file.head(backup)["tables"] == {"a": ["x"]}


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_one_that_was_cut_off(backup, share):
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(Invalid, match="cut off|not a Topograph backup"):
        backup_file.verify(backup)


def test_one_bit_that_turned(backup):
    """Wherever it is, in what is compressed or in what was."""
    whole = bytearray(backup.read_bytes())
    for at in range(20, len(whole) - 4, max(1, len(whole) // 40)):
        changed = whole.copy()
        changed[at] ^= 4
        backup.write_bytes(changed)
        try:
            # Of zstd's frame a few bits mean nothing
            assert backup_file.verify(backup) == {"a": 100_000}
        except Invalid as error:
            assert (
                "damaged" in error.message
                or "not a Topograph backup" in error.message
                or "cut off" in error.message
            )


def rewritten(path, change) -> None:
    """The archive with its members changed by `change(name, content) -> (name, content)` or
    None."""
    kept = []
    stream = pa.CompressedInputStream(pa.PythonFile(path.open("rb"), "r"), "zstd")
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for entry in tar:
            if made := change(entry.name, tar.extractfile(entry).read()):
                kept.append(made)
    stream.close()
    out = pa.CompressedOutputStream(pa.PythonFile(path.open("wb"), "w"), "zstd")
    with tarfile.open(fileobj=out, mode="w|") as tar:
        for name, content in kept:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    out.close()


def head(**changes):
    return lambda name, content: (
        name,
        json.dumps(json.loads(content) | changes).encode() if name == "backup.json" else content,
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda name, content: (
                (name, content.replace(b"1", b"3")) if name.startswith("rows") else (name, content)
            ),
            "damaged",
        ),
        (lambda name, content: None if name.startswith("files/") else (name, content), "damaged"),
        (lambda name, content: None if name == "manifest.jsonl" else (name, content), "cut off"),
        (
            lambda name, content: (
                ("../../etc/passwd", content) if name.startswith("files/") else (name, content)
            ),
            "no backup of Topograph has",
        ),
        (
            lambda name, content: (
                ("/etc/passwd", content) if name.startswith("files/") else (name, content)
            ),
            "no backup of Topograph has",
        ),
        (
            lambda name, content: ("x.json", content) if name == "backup.json" else (name, content),
            "does not begin with",
        ),
        (head(format=2), "or a newer one"),
        (head(migrations=[["webapp", "9999_later"]]), "newer Topograph.*9999_later.*Update first"),
        (
            head(migrations=[["webapp", "0001_initial"], ["webapp", "0002_curation"]]),
            "between two releases",
        ),
        (head(tables={}), "damaged"),
    ],
)
def test_what_is_wrong_is_said(backup, change, said, db):
    rewritten(backup, change)
    with pytest.raises(Invalid, match=said):
        restore.check(backup)


@pytest.mark.parametrize("content", [b"", b"not a backup", b"\x28\xb5\x2f\xfd" + b"x" * 100])
def test_what_is_no_backup(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(Invalid, match="x is not a Topograph backup|damaged"):
        backup_file.head(path)
    with pytest.raises(Invalid, match="can’t be read"):
        backup_file.head(tmp_path / "none")


def test_a_file_that_became_shorter_is_not_kept(tmp_path):
    with (
        (tmp_path / "b").open("wb") as file,
        pytest.raises(backup_file.Changed),
        backup_file.Writer(file, HEAD) as writer,
    ):
        writer.add("files/x", 10, io.BytesIO(b"12345"))
