"""What `methods` of engines of latent Dirichlet allocation say alike: the model, and its priors."""

from collections.abc import Mapping
from typing import Any

from inference.errors import number_of


def trained_lda(settings: Mapping[str, Any]) -> str:
    """The beginning of a sentence: the model (blei2003latent is cited) and its number of topics."""
    topics = number_of(settings["topics"], "topic")
    return (
        f"We trained a latent Dirichlet allocation model (Blei, Ng and Jordan 2003) with {topics}"
    )


def with_learned_priors(
    settings: Mapping[str, Any], method: str = ""
) -> tuple[str, tuple[str, ...]]:
    """A sentence of alpha and eta, of which some may have been learned, and whom it cites. method:
    " by …", where it is named."""
    learned = {
        "alpha": f"; α was learned for each topic{method} (Minka 2000)",
        "both": f"; α for each topic and η were learned{method} (Minka 2000)",
    }.get(settings.get("learn", ""), "")
    return f"{priors_were(settings)}{learned}.", ("minka2000estimating",) if learned else ()


def priors_were(settings: Mapping[str, Any]) -> str:
    """A sentence of alpha and eta, without its full stop."""
    return (
        f"The priors were α = {settings['alpha']:g} for each topic of a document and η ="
        f" {settings['eta']:g} for each word of a topic"
    )
