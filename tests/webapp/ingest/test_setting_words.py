"""Values of engines' settings in words."""

from inference import engines
from webapp.ingest.setting_words import WORDS, said


def test_every_choice_of_every_engine_has_words():
    choices = {(s.name, choice) for name in engines.ENGINES for s in engines.fields(name) for choice in s.choices}
    silent = [pair for pair in choices if pair[1] not in WORDS.get(pair[0], {})]
    assert choices and not silent, silent
    assert {(name, value) for name, values in WORDS.items() for value in values} <= choices, "no engine has it"
    for name, values in WORDS.items():
        assert len(set(values.values())) == len(values), f"two values of {name} read alike"


def test_the_value_stands_behind_its_words():
    assert said("learn", "nothing") == "none (nothing)" and said("topics_prior", "none") == "as first published (none)"
    assert said("passes", 20) == "20"
