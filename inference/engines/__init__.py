"""The registry of engines. An engine is a module with Config, init, step, topics and fold_in (docs/architecture.md)."""

from dataclasses import MISSING, dataclass
from dataclasses import fields as dataclass_fields
from types import ModuleType
from typing import get_args

from inference.engines import ssi
from inference.errors import Invalid

ENGINES: dict[str, ModuleType] = {"ssi": ssi}


@dataclass(frozen=True)
class Field:
    """A setting as forms and commands show it."""

    name: str
    label: str
    symbol: str
    help: str
    default: int | float | str | None  # None: required, or chosen from the corpus
    type: type
    choices: tuple[str, ...] = ()  # where it is one of a few words


def get(name: str) -> ModuleType:
    if name not in ENGINES:
        raise Invalid("engine", f"There is no engine “{name}”; there are {', '.join(ENGINES)}.")
    return ENGINES[name]


def config(name: str, **settings):
    """The engine's Config. Raises Invalid, naming the field, for a setting that is unknown or can't be."""
    engine = get(name)
    for setting in settings.keys() - {field.name for field in dataclass_fields(engine.Config)}:
        raise Invalid(setting, f"The engine {name} has no setting “{setting}”.")
    return engine.Config(**settings)


def fields(name: str) -> list[Field]:
    """The settings of an engine, in the order of its Config; forms and commands ask for these."""
    return [
        Field(
            name=field.name,
            label=field.metadata["label"],
            symbol=field.metadata["symbol"],
            help=field.metadata["help"],
            default=None if field.default is MISSING else field.default,
            type=(get_args(field.type) or (field.type,))[0],  # of int | None: int
            choices=field.metadata.get("choices", ()),
        )
        for field in dataclass_fields(get(name).Config)
    ]


def suggest_topics(documents: int) -> int:
    """A number of topics to begin with: documents^0.4, as a round number from 5 to 200.

    There is no right number: few topics give an overview, many give detail. The rule gives 40 for the 8,375 sections of
    the State of the Union and 80 for 50,000 abstracts.
    """
    wanted = max(1, documents) ** 0.4
    return min((5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 125, 150, 200), key=lambda k: abs(k / wanted - 1))
