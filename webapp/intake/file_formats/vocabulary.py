"""A vocabulary without its bag of words: with it, it is read as its companion."""

from collections.abc import Callable, Iterator

from webapp.intake.file_formats.base import Document, Options, Problem, Sniff, Source, Unreadable


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    raise Unreadable(
        f"“{name}” is the vocabulary of a bag of words, which did not come with it. Choose both"
        " together: the bag of words is a file such as docword….txt, .mtx or .ldac. If it is a"
        " text, let its name end in .txt."
    )


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    sniff(path, name, options, {})
    yield from ()
