"""Declaring and checking the settings of an engine: what a form, a command and the API show of a
setting is declared with its default."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from math import nextafter
from numbers import Real
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args

from inference.engines.contract import MOST_TOPICS, Config
from inference.errors import Invalid, shown

T = TypeVar("T")
NOTHING = "nothing"  # of `learn`: priors stay as they were set


@dataclass(frozen=True)
class Setting:
    """A setting as forms, commands and the API show it."""

    name: str
    label: str
    symbol: str
    help: str
    default: int | float | str | None  # None: required, or chosen from the corpus
    required: bool
    type: type  # int, float or str
    # Where it is one of a few: each value, and what it means
    choices: Mapping[str, str] = field(default_factory=dict)

    def said(self, value: object) -> str:
        """A value in words, and behind them as commands and the API have it: "replaced at the next
        visit (memo)"."""
        words = self.choices.get(str(value), "")
        return f"{words} ({value})" if words and words != value else str(value)


def setting(
    label: str,
    symbol: str,
    help: str,
    default: Any = None,
    *,
    least: float | None = None,
    most: float | None = None,
    bounds: str = "",
    choices: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """A field of a Config. default: None where it may be left open, MISSING where it must be given.

    least, most: both are allowed. bounds: these in words, where "at least …, at most …" does not
    say it. choices: of a str, each value with what it means in a few words.
    """
    metadata = {
        "label": label,
        "symbol": symbol,
        "help": help,
        "least": least,
        "most": most,
        "bounds": bounds,
        "choices": choices,
    }
    return (
        field(metadata=metadata)
        if default is MISSING
        else field(default=default, metadata=metadata)
    )


def minibatch_setting(symbol: str) -> Any:
    """How many documents a step has. symbol: of the paper."""
    return setting(
        "Minibatch size", symbol, "Number of documents between two updates of the topics.", least=1
    )


def prior_setting(
    label: str,
    symbol: str,
    help: str,
    default: float | None = None,
    *,
    least: float = 1e-6,
    most: float = 1e6,
) -> Any:
    """A number above 0."""
    return setting(
        label,
        symbol,
        help,
        default,
        least=least,
        most=most,
        bounds=f"above 0, from {_short(least)} to {_short(most)}",
    )


def alpha_setting(least: float = 1e-6) -> Any:
    """The prior of topics in a document. least: that is allowed."""
    return prior_setting(
        "Document smoothing",
        "α",
        "Prior of each topic in a document: small values give each document few topics.",
        least=least,
    )


def eta_setting(least: float = 1e-6) -> Any:
    """The prior of words in a topic. least: that is allowed."""
    return prior_setting(
        "Topic smoothing",
        "η",
        "Prior of each word in a topic: small values give topics of fewer words.",
        least=least,
    )


def kappa_setting(default: float, when: str = "") -> Any:
    """when: with which other setting it counts, "With decay, "."""
    help = _sentence(f"{when}how fast the step size falls: above 0.5, at most 1.")
    return setting(
        "Forgetting", "κ", help, default, least=nextafter(0.5, 1), most=1, bounds="in (0.5, 1]"
    )


def tau0_setting(default: float, when: str = "") -> Any:
    """The delay of step sizes. when: with which other setting it counts, as for `kappa_setting`."""
    help = _sentence(f"{when}how much the first steps are damped.")
    return setting(
        "Delay", "τ₀", help, default, least=0, most=1e12, bounds="at least 0, and at most 1e12"
    )


def learn_setting() -> Any:
    """Which priors are learned: none, alpha, or both."""
    return setting(
        "Learned priors",
        "α, η",
        "Which priors are fitted to the corpus: none, an α for each topic, or η as well.",
        NOTHING,
        choices={NOTHING: "none", "alpha": "α for each topic", "both": "α and η"},
    )


class LearningPriors:
    """What a Config can say that has a setting `learn`. Put it before Settings among the bases."""

    learn: str

    @property
    def learns_priors(self) -> bool:
        """Whether any prior is fitted to the corpus."""
        return self.learn != NOTHING


def _sentence(words: str) -> str:
    """With a large first letter; the others stay as they are: OPE."""
    return words[:1].upper() + words[1:]


def _short(number: float) -> str:
    """1e6 and 1e-06 as 1e6 and 1e-6."""
    return f"{number:.0e}".replace("e+0", "e").replace("e-0", "e-") if number != 1 else "1"


@dataclass(frozen=True)
class Settings:
    """What Configs begin with. None: left open, for `resolve`. Raises Invalid, naming the field,
    for a value that its declaration does not allow."""

    topics: int = setting(
        "Number of topics",
        "K",
        "How many topics to find: few for an overview, many for detail.",
        MISSING,
        least=1,
        most=MOST_TOPICS,
    )
    passes: int | None = setting("Passes", "", "Number of passes over the whole corpus.", least=1)

    def __post_init__(self) -> None:
        """Raises Invalid, naming the field, for a value that its declaration does not allow. Whole
        numbers become floats where a float is meant, as kernels are compiled for floats.

        A field's declaration is the one of the class nearest to its own that uses `setting`. None
        is allowed where the type in its own class includes it.
        """
        may_be_open = {f.name for f in fields(self) if NoneType in get_args(f.type)}
        classes = [c for c in reversed(type(self).__mro__) if is_dataclass(c)]
        declared = {f.name: f for c in classes for f in fields(c) if f.metadata}
        for f in declared.values():
            value = getattr(self, f.name)
            if value is None and f.name in may_be_open:
                continue
            object.__setattr__(
                self, f.name, {int: _whole, float: _number, str: _choice}[kind(f)](f, value)
            )


@dataclass(frozen=True, kw_only=True)
class ResolvedPasses:
    """Passes and minibatch of a resolved form, which may be left open before. Put it before the
    Config among the bases."""

    passes: int
    minibatch: int


@dataclass(frozen=True, kw_only=True)
class ResolvedPriors(ResolvedPasses):
    """The same with the priors, where they may be left open, too."""

    alpha: float
    eta: float


def kind(f: Field) -> type:
    """int, float or str: of `int | None`, int."""
    return (get_args(f.type) or (f.type,))[0]


LARGEST_WHOLE = 2**31 - 1  # kernels are compiled for numbers of 32 bits


def _whole(f: Field, value: Any) -> int:
    least = f.metadata["least"] or 0
    largest = f.metadata["most"]
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise Invalid(
            f.name, f"{f.name} must be a whole number of at least {least}, got {shown(value)}."
        )
    if largest is None:
        largest = LARGEST_WHOLE
    if value > largest:
        raise Invalid(f.name, f"{f.name} must be at most {largest:,}, got {value:,}.")
    return value


def _number(f: Field, value: Any) -> float:
    least = f.metadata["least"]
    largest = f.metadata["most"]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise Invalid(f.name, f"{f.name} must be a number, got {shown(value)}.")
    if (
        not (least is None or value >= least)
        or not (largest is None or value <= largest)
        or value != value
    ):
        bounds = f.metadata["bounds"] or " and ".join(
            f"at {word} {bound:g}"
            for word, bound in (("least", least), ("most", largest))
            if bound is not None
        )
        raise Invalid(f.name, f"{f.name} must be {bounds or 'a number'}, got {value}.")
    return float(value)


def _choice(f: Field, value: Any) -> str:
    choices = f.metadata["choices"]
    if value not in choices:
        quoted = ", ".join(f"“{choice}”" for choice in choices)
        raise Invalid(f.name, f"{f.name} must be one of {quoted}, got {shown(value)}.")
    return value


def resolved(config: Config, form: type[T], **chosen: Any) -> T:
    """The resolved form of a config: what it leaves open is as chosen."""
    return form(
        **chosen | {name: value for name, value in asdict(config).items() if value is not None}
    )


def declared_settings(config: type) -> list[Setting]:
    """The settings that a Config declares, in its order."""
    return [
        Setting(
            name=f.name,
            label=f.metadata["label"],
            symbol=f.metadata["symbol"],
            help=f.metadata["help"],
            default=None if f.default is MISSING else f.default,
            required=f.default is MISSING,
            type=kind(f),
            choices=f.metadata["choices"],
        )
        for f in fields(config)
    ]
