"""What the values of an engine's settings mean, in the words of its form and of a run's page."""

WORDS = {
    "statistics": {"memo": "replaced at the next visit", "decay": "fading", "stream": "added up"},
    "expectation": {"mean": "their mean", "log": "their mean logarithm"},
    "start": {
        "documents": "from documents", "sampling": "by sampling", "seed": "one document each", "random": "at random",
        "cold": "from its words", "warm": "from its last visit", "better": "from either",
    },
    "init": {"diverse": "unlike documents", "documents": "half from documents", "random": "at random"},
    "learn": {
        "nothing": "none", "alpha": "α for each topic", "both": "α and η", "words": "α, and η for each word",
        "online": "earlier documents fade", "streaming": "all documents add up", "ml": "without a prior",
    },
    "inference": {"ope": "few topics each", "fw": "one topic a step", "fw_pairwise": "one topic a step, to the end"},
    "step": {"safe": "never too far", "fixed": "as in the paper", "line_search": "to the best point"},
    "rate": {"schedule": "falling", "adaptive": "estimated"},
    "topics_prior": {"none": "as first published", "dirichlet": "smoothed"},
}  # fmt: skip


def said(setting: str, value: object) -> str:
    """A value in words, and behind them as commands and the API have it: "replaced at the next visit (memo)"."""
    words = WORDS.get(setting, {}).get(str(value), "")
    return f"{words} ({value})" if words and words != value else str(value)
