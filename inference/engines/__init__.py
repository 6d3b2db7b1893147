"""The registry of engines, and its functions for forms, commands and the API. `contract.py` says
what an engine is."""

from typing import Any

from inference.engines import clusters, cvb0, fw, hdp, lsparse, smc, ssi, svi, vb, vem
from inference.engines.contract import AnyEngine, Config, Truncated
from inference.engines.settings import Setting, declared_settings
from inference.errors import Invalid

# In the order in which they are offered. The type checker compares each module with the contract.
ENGINES: dict[str, AnyEngine] = {
    engine.NAME: engine for engine in (ssi, fw, cvb0, svi, vb, hdp, vem, lsparse, clusters, smc)
}
DEFAULT = ssi.NAME  # what is trained where no engine is named
# Words that count below which topics differ from seed to seed, however many they are
FEW_TOKENS = 5_000
# Documents, or sections of them, below which only a few broad topics can be learned
FEW_DOCUMENTS = 300
UNNAMED = ssi.NAME  # the engine of checkpoints from before they carried a name

# Of `suggest_topics`
TOPICS_SCALE = 0.6
TOPICS_POWER = 1 / 3
USUAL_TOPICS = (5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 125, 150, 200)


def get(name: str) -> AnyEngine:
    """The engine of that name. Raises Invalid where there is none."""
    if name not in ENGINES:
        raise Invalid("engine", f"There is no engine “{name}”; there are {', '.join(ENGINES)}.")
    return ENGINES[name]


def config(name: str, **settings: Any) -> Config:
    """The engine's Config.

    settings: by name; what is left out has its default, or is left open.
    Raises Invalid, naming the field, for a setting that is unknown, missing or can't be, and for
    one of another engine.
    """
    engine = get(name)
    declared = fields(name)
    for setting in sorted(settings.keys() - {field.name for field in declared}):
        engines_that_have = [
            engine_name
            for engine_name in ENGINES
            if any(field.name == setting for field in fields(engine_name))
        ]
        whose = f"; it is one of {' and '.join(engines_that_have)}" if engines_that_have else ""
        raise Invalid(setting, f"The engine {name} has no setting “{setting}”{whose}.")
    for field in declared:
        if field.required and settings.get(field.name) is None:
            raise Invalid(field.name, f"{field.name} must be given.")
    return engine.Config(**settings)


def fields(name: str) -> list[Setting]:
    """The settings of an engine, in the order of its Config; forms, commands and the API ask for
    these."""
    return declared_settings(get(name).Config)


def suggest_topics(tokens: int, engine: str = DEFAULT, most: int = 200) -> int:
    """A number of topics to begin with: 0.6 times the cube root of the words that count, as a round
    number from 5 to 200; of an engine that finds the number itself, its TRUNCATION. most: the size
    of the vocabulary.

    There is no right number: few topics give an overview, many give detail. On posts, news,
    speeches and abstracts of 38,000 to 3.2 million words about half of so many topics came again
    with another seed; from twice as many fewer did, and with half as many subjects were mixed.
    Below FEW_TOKENS no number of topics was stable.
    """
    suggestion = TOPICS_SCALE * max(1, tokens) ** TOPICS_POWER
    usual = min(USUAL_TOPICS, key=lambda k: abs(k / suggestion - 1))
    named_engine = get(engine)
    return max(
        1, min(named_engine.TRUNCATION if isinstance(named_engine, Truncated) else usual, most)
    )
