"""The registry of engines, and what forms, commands and the API ask of it. `contract.py` says what an engine is."""

from typing import Any

from inference.engines import cvb0, smc, ssi, svi, vb
from inference.engines.contract import AnyEngine, Config, Engine
from inference.engines.settings import Setting, described
from inference.errors import Invalid

# The type checker compares each module with the contract.
_SSI: Engine[ssi.Config, ssi.Resolved, ssi.State] = ssi
_CVB0: Engine[cvb0.Config, cvb0.Resolved, cvb0.State] = cvb0
_SVI: Engine[svi.Config, svi.Resolved, svi.State] = svi
_VB: Engine[vb.Config, vb.Resolved, vb.State] = vb
_SMC: Engine[smc.Config, smc.Resolved, smc.State] = smc

ENGINES: dict[str, AnyEngine] = {
    engine.NAME: engine for engine in (_SSI, _CVB0, _SVI, _VB, _SMC)
}  # in the order in which they are offered
DEFAULT = ssi.NAME  # what is trained where no engine is named
UNNAMED = ssi.NAME  # the engine of checkpoints from before they carried a name


def get(name: str) -> AnyEngine:
    """The engine of that name. Raises Invalid where there is none."""
    if name not in ENGINES:
        raise Invalid("engine", f"There is no engine “{name}”; there are {', '.join(ENGINES)}.")
    return ENGINES[name]


def config(name: str, **settings: Any) -> Config:
    """The engine's Config.

    settings: by name; what is left out has its default, or is left open.
    Raises Invalid, naming the field, for a setting that is unknown, missing or can't be, and for one of another engine.
    """
    engine = get(name)
    declared = fields(name)
    for setting in sorted(settings.keys() - {field.name for field in declared}):
        others = [other for other in ENGINES if any(field.name == setting for field in fields(other))]
        whose = f"; it is one of {' and '.join(others)}" if others else ""
        raise Invalid(setting, f"The engine {name} has no setting “{setting}”{whose}.")
    for field in declared:
        if field.required and settings.get(field.name) is None:
            raise Invalid(field.name, f"{field.name} must be given.")
    return engine.Config(**settings)


def fields(name: str) -> list[Setting]:
    """The settings of an engine, in the order of its Config; forms, commands and the API ask for these."""
    return described(get(name).Config)


def suggest_topics(documents: int) -> int:
    """A number of topics to begin with: documents^0.4, as a round number from 5 to 200.

    There is no right number: few topics give an overview, many give detail. The rule gives 40 for the 8,375 sections of
    the State of the Union and 80 for 50,000 abstracts.
    """
    wanted = max(1, documents) ** 0.4
    return min((5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 125, 150, 200), key=lambda k: abs(k / wanted - 1))
