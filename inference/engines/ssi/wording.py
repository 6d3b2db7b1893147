"""What to write of a run in a paper."""

from collections.abc import Mapping
from typing import Any

from inference.engines import from_documents
from inference.engines.contract import Methods
from inference.engines.lda_sentences import trained_lda, with_learned_priors
from inference.engines.ssi.published import AVERAGED_FROM, LOOKS, SETTLED
from inference.errors import first_passes, number_of

# How a training is said to begin
FROM_DOCUMENTS = {
    "documents": "Each topic began as the words of a document",
    "joined": (
        f"{from_documents.JOINED_PER_TOPIC} times as many topics began as the words of a document"
        " each and learned from a sample of the documents, and the nearest were joined"
    ),
}


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were found and with which priors and sweeps. A run of an older version may lack
    the settings of today."""
    how, cited_for_how = _statistics(settings)
    of_priors, cited_for_priors = with_learned_priors(settings)
    citations = ("blei2003latent", "mimno2012sparse", *cited_for_how, *cited_for_priors)
    sweeps = number_of(settings["burn_in"], "sweep")
    samples = number_of(settings["samples"], "saved sweep")
    draws = number_of(settings["draws"], "topic")
    of_model = (
        f"{trained_lda(settings)} by sparse stochastic inference (Mimno, Hoffman and Blei 2012),"
        f" {how}."
    )
    if settings.get("expectation") == "mean":
        of_model += " Words were weighted by E[β] instead of exp E[log β]."
    of_visits = (
        f"In each visit of a document there were {sweeps} before any was counted, {samples} and"
        f" {draws} drawn for a word in each of them."
    )
    sentence = f"{of_model} {of_priors} {of_visits}{_of_end(settings)}"
    return Methods(sentence, citations)


def _statistics(settings: Mapping[str, Any]) -> tuple[str, list[str]]:
    """How counts of documents came into the topics, also in the first passes; and the works that
    this cites."""
    step_size = (
        f"with a step size of (τ₀ + t)^−κ, κ = {settings.get('kappa')} and τ₀ ="
        f" {settings.get('tau0')}"
    )
    if settings.get("statistics") != "memo":
        return step_size, []
    how = (
        "with statistics that are remembered for each document and replaced when it is visited"
        " again (compare Hughes and Sudderth 2016)"
    )
    citations = ["hughes2016fast"]
    passes = min(settings.get("warm_up", 0), settings["passes"])
    if settings.get("start") in FROM_DOCUMENTS and passes:
        how += (
            f". {FROM_DOCUMENTS[settings['start']]}; {first_passes(passes)}"
            " used online maximum a posteriori estimation (OPE; Than and Doan 2015), from"
            " which the topic of each word was drawn"
        )
        citations.append("than2015dual")
    elif passes:
        how += f"; in {first_passes(passes)} counts faded instead, {step_size}"
    return how, citations


def _of_end(settings: Mapping[str, Any]) -> str:
    """Sentences that say of which states the topics are a mean, and when training ends; "" for
    settings that know neither."""
    if settings.get("statistics") != "memo":
        return ""
    sentences = ""
    if settings.get("averaged", 1) > 1:
        passes = number_of(settings["averaged"], "pass")
        sentences += (
            " The topics are a running mean of their states at the ends of passes, over about the"
            f" last {passes}, from the {AVERAGED_FROM}th on."
        )
    if settings.get("until") == "settled":
        passes = number_of(settings["passes"], "pass")
        sentences += (
            f" Training was set to end when held-out document completion, measured every {LOOKS}"
            f" passes, had risen by less than {SETTLED:g} nats a token and pass within {2 * LOOKS}"
            f" passes, or after {passes}."
        )
    return sentences
