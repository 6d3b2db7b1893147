"""Values of engines' settings in words."""

from collections import defaultdict

import pytest

from inference import engines, train
from tests.inference.corpora import equal, planted


def test_every_choice_of_every_engine_has_words():
    words = defaultdict(dict)
    for name in engines.ENGINES:
        for setting in engines.fields(name):
            for choice, said in setting.choices.items():
                assert said and words[setting.name].setdefault(choice, said) == said, (
                    "one value, one meaning"
                )
    assert words
    for name, values in words.items():
        assert len(set(values.values())) == len(values), f"two values of {name} read alike"


def test_the_value_stands_behind_its_words():
    said = {f.name: f.said for f in engines.fields("vem")}
    assert said["learn"]("nothing") == "none (nothing)"
    assert said["topics_prior"]("none") == "as first published (none)"
    assert said["passes"](20) == "20"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ssi", {"start": "sampling"}),
        ("ssi", {"start": "documents"}),
        ("ssi", {"start": "sampling", "warm_up": 0}),
        ("lsparse", {}),
        ("lsparse", {"warm_up": 0}),
        ("cvb0", {}),
    ],
)
@pytest.mark.parametrize("setting", ["kappa", "tau0"])
def test_step_sizes_count_where_their_help_says(name, settings, setting):
    """With memo: in the warm-ups that the help names, and in no others."""
    bow, _ = planted(K=3, V=40, D=60, length=30, seed=1)
    topics = []
    for value in (0.6, 1.0):
        config = engines.config(
            name, topics=3, passes=3, minibatch=20, **settings | {setting: value}
        )
        *_, last = train(engines.get(name), config, bow, seed=1)
        topics.append(last.topics)
    (help_text,) = [field.help for field in engines.fields(name) if field.name == setting]
    is_by_ope = settings.get("start") == "documents"
    names_this_warm_up = "warm-up" in help_text and settings.get("warm_up") != 0 and not is_by_ope
    assert equal(*topics) != names_this_warm_up
