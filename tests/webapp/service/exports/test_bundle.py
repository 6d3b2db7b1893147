"""A bundle trains to the same run bit for bit, says so when it does not, and holds no texts."""

import io
import json
import zipfile
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from inference.engines import config, get
from inference.training import Snapshot, train
from tests.webapp.taking import taken
from webapp.core.results import evidence
from webapp.models import SourceFile
from webapp.service.exports import methods

pytestmark = pytest.mark.django_db


@pytest.fixture
def bundle(trained, tmp_path):
    path = tmp_path / "bundle.zip"
    path.write_bytes(taken(trained, "bundle.zip"))
    return path


def changed(bundle, member: str, change) -> None:
    """The bundle with one of its arrays, or its facts, changed."""
    with zipfile.ZipFile(bundle) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    if member.endswith("json"):
        facts = json.loads(held[member])
        change(facts)
        held[member] = json.dumps(facts).encode()
    else:
        arrays = dict(np.load(io.BytesIO(held[member])))
        change(arrays)
        np.savez(out := io.BytesIO(), **arrays)
        held[member] = out.getvalue()
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, body in held.items():
            archive.writestr(name, body)


def said(bundle) -> str:
    out = StringIO()
    call_command("verify", str(bundle), stdout=out)
    return out.getvalue()


def test_it_trains_to_the_same_run(trained, bundle):
    text = said(bundle)
    assert (
        "The run is the same, bit for bit." in text
        and "DIFFERENT" not in text
        and "Note" not in text
    )
    assert text.count("the same  ") == 5


@pytest.mark.parametrize(
    ("member", "change"),
    [
        (
            "topics.npz",
            lambda a: a["beta_weights"].__setitem__(
                0, np.nextafter(a["beta_weights"][0], np.float32(1))
            ),
        ),
        ("assignments.npz", lambda a: a["certainty"].__setitem__(7, a["certainty"][7] ^ 1)),
        ("run.json", lambda facts: facts.update(seed=4)),
        ("run.json", lambda facts: facts.update({"corpus digest": "0" * 64})),
    ],
)
def test_a_last_bit_is_noticed(bundle, member, change):
    changed(bundle, member, change)
    with pytest.raises(CommandError, match="not the same"):
        said(bundle)


def test_other_versions_are_named(bundle):
    changed(bundle, "run.json", lambda facts: facts["trained with"].update(numpy="1.0"))
    assert "trained with numpy 1.0" in said(bundle)


def test_an_older_engine_is_named(bundle):
    """It can't be trained to the same bits, and that is no fault of the bundle."""
    assert "older form" not in said(bundle)
    changed(bundle, "run.json", lambda facts: facts["trained with"].pop("engines"))
    changed(
        bundle,
        "topics.npz",
        lambda a: a["beta_weights"].__setitem__(
            0, np.nextafter(a["beta_weights"][0], np.float32(1))
        ),
    )
    with pytest.raises(
        CommandError, match="not the same bit for bit.*older form of the engine ssi"
    ):
        said(bundle)


def test_what_it_holds(trained, bundle):
    archive = zipfile.ZipFile(bundle)
    facts = json.loads(archive.read("run.json"))
    assert facts["files"][0]["sha256"] == SourceFile.objects.get(corpus=trained.corpus).sha256
    assert facts["settings"] == trained.settings and facts["trained with"] == trained.versions
    assert "the\n" in archive.read("stop_words.txt").decode()
    assert len(archive.read("vocabulary.txt").decode().splitlines()) == trained.corpus.vocabulary
    given = np.load(io.BytesIO(archive.read("assignments.npz")))
    assert np.array_equal(given["topics"], evidence.of(trained).token_topics.topics)


def test_under_embargo_it_can_not_be_trained_again(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(trained.corpus, "embargo", True)
    path = tmp_path / "bundle.zip"
    path.write_bytes(taken(trained, "bundle.zip"))
    assert "bag_of_words.npz" not in zipfile.ZipFile(path).namelist()
    with pytest.raises(CommandError, match="under embargo"):
        said(path)


def test_a_run_that_began_with_another_is_not_said_to_differ(trained, tmp_path, monkeypatch):
    """Its first topics are not here: trained from nothing it would be another run."""
    monkeypatch.setattr(trained, "begins", True)
    path = tmp_path / "bundle.zip"
    path.write_bytes(taken(trained, "bundle.zip"))
    readme = zipfile.ZipFile(path).read("README.txt").decode()
    assert readme.startswith("This run began with the topics of another run")
    with pytest.raises(CommandError, match="began with the topics of another run"):
        said(path)
    assert "versions and first topics give the same" in " ".join(methods.paragraphs(trained))


def test_what_is_no_bundle(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"not a zip")
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    for name in ("x.zip", "empty.zip", "missing.zip"):
        with pytest.raises(CommandError, match="no bundle"):
            said(tmp_path / name)


def test_a_run_that_was_stopped_ends_where_it_did(trained):
    """`last` gives the snapshot of that very step."""
    bow = evidence.of(trained).document_bow
    settings = config(trained.engine, **trained.settings)
    steps = [
        e.step
        for e in train(get(trained.engine), settings, bow, seed=3, last=5)
        if isinstance(e, Snapshot)
    ]
    assert steps[-1] == 5
