"""A training as it is asked for: the one schema for the form, programs and the command. What is
wrong is refused with the same field and sentence, whichever way it comes."""

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypedDict

from pydantic import Field

from inference import engines
from inference.errors import Invalid
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import NamedTopic, StoredTopic
from webapp.platform.received import Received, number

# What a training has beside its engine's settings, and what is chosen by whoever asks
RESERVED = frozenset({"version", "seed", "by", "topics", "engine", "consensus", "topics_named"})


class RunSettings(TypedDict):
    """What webapp.core.runs.services.create takes, by the same names."""

    topics: int | None
    engine: str
    engine_settings: dict[str, Any]
    seed: int
    consensus: bool
    topics_named: Sequence[NamedTopic]


class NamedTopicIn(Received):
    """A topic that is named beforehand."""

    name: str
    words: list[str] = Field(description="three to twenty words or phrases that it should have")

    def stored(self) -> StoredTopic:
        return {"name": self.name, "words": self.words}


class AskedTraining(Received):
    """How to train; what is left out is chosen by the corpus. /engines lists the engines with their
    settings."""

    topics: int | None = None
    seed: int = 0
    engine: str = engines.DEFAULT
    settings: dict[str, int | float | str | None] = Field(
        {}, description="of the engine, such as passes"
    )
    consensus: bool = Field(
        False,
        description=(
            "train with two other seeds, too, then one run that begins with what all have in common"
        ),
    )
    seeds: list[NamedTopicIn] = Field(
        [],
        description=(
            "topics that are named beforehand, the run's first ones: words hold each throughout the"
            " training, and one whose words the texts lack stays empty"
        ),
    )

    @classmethod
    def of_texts(
        cls,
        texts: Mapping[str, str],
        *,
        consensus: bool = False,
        seeds: Sequence[StoredTopic] = (),
    ) -> Self:
        """What a form or a command asks for. texts: topics, seed, engine and the engine's settings
        by their names; an empty one is left out. Raises Invalid."""
        filled = {name: text for name, text in texts.items() if text.strip()}
        engine = filled.pop("engine", engines.DEFAULT)
        values: dict[str, Any] = {
            name: number(filled.pop(name)) for name in ("topics", "seed") if name in filled
        }
        values |= {"engine": engine, "consensus": consensus, "seeds": list(seeds)}
        settings = {name: _typed(engine, name, text) for name, text in filled.items()}
        return cls.read(values | {"settings": settings})

    def settings_of_run(self) -> RunSettings:
        """For webapp.core.runs.services.create, which checks them against engine and corpus. Raises
        Invalid."""
        if reserved := sorted(RESERVED & self.settings.keys()):
            raise Invalid(
                "settings",
                f"“settings” are those of the engine, and “{reserved[0]}” is none of them.",
            )
        return RunSettings(
            topics=self.topics,
            engine=self.engine,
            engine_settings=self.settings,
            seed=self.seed,
            consensus=self.consensus,
            topics_named=named_topics.checked([topic.stored() for topic in self.seeds]),
        )


def _typed(engine: str, name: str, text: str) -> int | float | str:
    """A setting: a number where the engine has one of that name that is a number."""
    if engine not in engines.ENGINES:
        return text
    kinds = {setting.name: setting.type for setting in engines.fields(engine)}
    return text if kinds.get(name, str) is str else number(text)
