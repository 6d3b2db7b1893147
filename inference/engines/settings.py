"""Declaring and checking an engine's settings: what a form, a command and the API show of a setting is declared with
its default."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from math import nextafter
from numbers import Real
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args

from inference.engines.contract import MOST_TOPICS, Config
from inference.errors import Invalid

T = TypeVar("T")
WHOLE_LIMIT = 2**31  # kernels are compiled for numbers below it


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
    choices: Mapping[str, str] = field(default_factory=dict)  # where it is one of a few: each value, and what it means

    def said(self, value: object) -> str:
        """A value in words, and behind them as commands and the API have it: "replaced at the next visit (memo)"."""
        words = self.choices.get(str(value), "")
        return f"{words} ({value})" if words and words != value else str(value)


def setting(
    label: str, symbol: str, help: str, default: Any = None, *, least: float | None = None, most: float | None = None,
    bounds: str = "", choices: Mapping[str, str] = MappingProxyType({}),
) -> Any:  # fmt: skip
    """A field of a Config. default: None where it may be left open, MISSING where it must be given.

    least, most: both are allowed. bounds: these in words, where "at least …, at most …" does not say it. choices: of a
    str, each value with what it means in a few words.
    """
    metadata = {
        "label": label, "symbol": symbol, "help": help, "least": least, "most": most, "bounds": bounds, "choices": choices,
    }  # fmt: skip
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def minibatch_setting(symbol: str) -> Any:
    return setting("Minibatch size", symbol, "Number of documents between two updates of the topics.", least=1)


def prior(
    label: str, symbol: str, help: str, default: float | None = None, *, least: float = 1e-6, most: float = 1e6
) -> Any:
    """A number above 0."""
    return setting(
        label, symbol, help, default, least=least, most=most, bounds=f"above 0, from {_short(least)} to {_short(most)}"
    )


def alpha_setting(least: float = 1e-6) -> Any:
    help = "Prior of each topic in a document: small values give each document few topics."
    return prior("Document smoothing", "α", help, least=least)


def eta_setting(least: float = 1e-6) -> Any:
    help = "Prior of each word in a topic: small values give topics of fewer words."
    return prior("Topic smoothing", "η", help, least=least)


def kappa_setting(default: float, when: str = "") -> Any:
    """when: with which other setting it counts, "With decay, "."""
    help = _sentence(f"{when}how fast the step size falls: above 0.5, at most 1.")
    return setting("Forgetting", "κ", help, default, least=nextafter(0.5, 1), most=1, bounds="in (0.5, 1]")


def tau0_setting(default: float, when: str = "") -> Any:
    help = _sentence(f"{when}how much the first steps are damped.")
    return setting("Delay", "τ₀", help, default, least=0, most=1e12, bounds="at least 0, and at most 1e12")


def learn_setting() -> Any:
    return setting(
        "Learned priors", "α, η", "Which priors are fitted to the corpus: none, an α for each topic, or η as well.",
        "nothing", choices={"nothing": "none", "alpha": "α for each topic", "both": "α and η"},
    )  # fmt: skip


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _short(number: float) -> str:
    """1e6 and 1e-06 as 1e6 and 1e-6."""
    return f"{number:.0e}".replace("e+0", "e").replace("e-0", "e-") if number != 1 else "1"


@dataclass(frozen=True)
class Settings:
    """What Configs begin with. None: left open, for `resolve`. Raises Invalid, naming the field, for a value that its
    declaration does not allow."""

    topics: int = setting(
        "Number of topics", "K", "How many topics to find: few for an overview, many for detail.",
        MISSING, least=1, most=MOST_TOPICS,
    )  # fmt: skip
    passes: int | None = setting("Passes", "", "Number of passes over the whole corpus.", least=1)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Sized:
    """What resolved forms have that may be left open before. Put it before the Config among the bases."""

    passes: int
    minibatch: int


@dataclass(frozen=True, kw_only=True)
class Chosen(Sized):
    """The same with the priors."""

    alpha: float
    eta: float


def passes_within(words: int, tokens: int, *, least: int, most: int) -> int:
    """How many passes go through so many words of a corpus of `tokens`, over all of them: from `least` to `most`."""
    return min(most, max(least, words // max(tokens, 1)))


def fewer_passes(settings: Mapping[str, Any], least: int = 3) -> dict[str, Any]:
    """Settings of a run, with passes for one that begins with its topics: a third of them."""
    return {**settings, "passes": max(least, round(settings["passes"] / 3))}


def check(config: Settings) -> None:
    """Raises Invalid, naming the field, for a value that its declaration does not allow. Whole numbers become floats
    where a float is meant, as kernels are compiled for floats.

    A field's declaration is the one of the class nearest to config's own that uses `setting`. None is allowed where the
    type in config's own class includes it.
    """
    may_be_open = {f.name for f in fields(config) if NoneType in get_args(f.type)}
    classes = [c for c in reversed(type(config).__mro__) if is_dataclass(c)]
    declared = {f.name: f for c in classes for f in fields(c) if f.metadata}
    for f in declared.values():
        value = getattr(config, f.name)
        if value is None and f.name in may_be_open:
            continue
        _checked = {int: _whole, float: _number, str: _choice}[kind(f)](f, value)
        object.__setattr__(config, f.name, _checked)


def kind(f: Field) -> type:
    """int, float or str: of `int | None`, int."""
    return (get_args(f.type) or (f.type,))[0]


def _whole(f: Field, value: Any) -> int:
    least, most = f.metadata["least"] or 0, f.metadata["most"]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < WHOLE_LIMIT:
        raise Invalid(f.name, f"{f.name} must be a whole number of at least {least}, got {value}.")
    if most is not None and value > most:
        raise Invalid(f.name, f"{f.name} must be at most {most:,}, got {value:,}.")
    return value


def _number(f: Field, value: Any) -> float:
    least, most = f.metadata["least"], f.metadata["most"]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise Invalid(f.name, f"{f.name} must be a number, got {value!r}.")
    if not (least is None or value >= least) or not (most is None or value <= most) or value != value:
        bounds = f.metadata["bounds"] or " and ".join(
            f"at {word} {bound:g}" for word, bound in (("least", least), ("most", most)) if bound is not None
        )
        raise Invalid(f.name, f"{f.name} must be {bounds or 'a number'}, got {value}.")
    return float(value)


def _choice(f: Field, value: Any) -> str:
    choices = f.metadata["choices"]
    if value not in choices:
        quoted = ", ".join(f"“{choice}”" for choice in choices)
        raise Invalid(f.name, f"{f.name} must be one of {quoted}, got {value!r}.")
    return value


def resolved(config: Config, form: type[T], **chosen: Any) -> T:
    """The resolved form of a config: what it leaves open is as chosen."""
    given = {name: value for name, value in asdict(config).items() if value is not None}
    return form(**{**chosen, **given})


def described(config: type) -> list[Setting]:
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


def rho(config: Any, t: int) -> float:
    """The step size of step t, counted from 1: (tau0 + t)^-kappa (SVI, eq. 26). config: with kappa, from 0 to 1, and tau0, at
    least 0."""
    return float(config.tau0 + t) ** -config.kappa
