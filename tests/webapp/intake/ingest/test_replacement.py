"""What is noted of a draft in which persons have pseudonyms."""

import json
from dataclasses import asdict, replace

from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.replacement import Following, Replacement
from webapp.models import Upload

READING = ReadingSettings(language="en", min_documents=3, options={"format": "csv"})
ASKED = Replacement(
    source=7,
    columns=["speaker"],
    keep=True,
    reading=READING,
    following=Following("Letters", None, None),
)


def read_again(replacement: Replacement) -> Replacement:
    return Replacement.from_dict(json.loads(json.dumps(replacement.stored)))


def test_a_row_is_read_as_it_was_written():
    assert read_again(ASKED) == ASKED
    assert ASKED.stored["reading"] == asdict(READING)
    assert "first_reading" not in ASKED.stored["following"]
    written = replace(
        ASKED, reading=None, following=Following("", "party", {}, first_reading=READING)
    )
    assert read_again(written) == written
    assert written.stored["following"]["first_reading"] == asdict(READING)


def test_a_row_says_by_its_keys_what_is_still_to_be_done():
    assert not ASKED.is_written
    done = replace(ASKED, reading=None, following=None)
    assert done.is_written
    assert done.stored.keys() & {"reading", "following"} == set()


def test_a_row_of_an_older_version_lacks_some():
    older = Replacement.from_dict({"source": 7, "columns": ["speaker"]})
    assert older == Replacement(7, ["speaker"])


def test_an_upload_without_pseudonyms_has_none():
    assert Replacement.of_upload(Upload()) is None
