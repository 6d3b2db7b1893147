"""How many bytes a training remembers of its documents: the arrays of a State that are MAPPED. They stand in memory or, where
they are large, on the disk; and in each checkpoint."""

from collections.abc import Callable
from typing import Any

from inference.engines.contract import ResolvedConfig, Shape

_U2, _F4 = 2, 4  # bytes of a uint16, of a float32


def size(engine: str, config: ResolvedConfig, shape: Shape) -> int:
    """config: resolved. shape: with pairs."""
    rule = _RULES.get(engine)
    return int(rule(config, shape)) if rule else 0


def _of_tokens(config: Any, shape: Shape) -> int:
    return _U2 * config.samples * config.draws * shape.tokens if config.statistics == "memo" else 0


def _of_pairs(config: Any, shape: Shape, kept: int) -> int:
    return 2 * _U2 * kept * shape.pairs if config.statistics == "memo" else 0


def _of_documents(config: Any, shape: Shape, kept: int, spare: int) -> int:
    """The largest `kept` of each document's topics, and which these are where they are not all."""
    kept = min(kept, config.topics)
    rows = min(config.minibatch * shape.per_pass, 2 * shape.D + spare)
    return rows * kept * (_F4 + (_U2 if kept < config.topics else 0))


_RULES: dict[str, Callable[[Any, Shape], int]] = {
    "ssi": _of_tokens,
    "smc": lambda config, shape: _U2 * shape.tokens if config.passes > 1 else 0,
    "lsparse": lambda config, shape: _of_pairs(config, shape, min(config.most, config.topics)),
    "cvb0": lambda config, shape: _of_pairs(config, shape, config.most),
    "svi": lambda config, shape: _of_documents(config, shape, config.remember, 64),
    "vb": lambda config, shape: _of_documents(config, shape, config.topics, 64),
    "vem": lambda config, shape: _of_documents(config, shape, config.topics, 1000),
}
