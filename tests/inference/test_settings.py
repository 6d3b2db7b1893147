"""Values of engines' settings in words."""

from collections import defaultdict

from inference import engines


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
