"""Full-text search of a token stream: which documents a query finds, how well each matches, and
where.

query: parses what is typed into a tree. forms: numbers of words, stems and beginnings. segments:
documents by word, on disk. unfollowed: uses of frequent words that no other follows. search: the
index itself. patterns: sequences of words, as they are typed; hits: where they are.
"""

from inference.index.query import LONGEST_QUERY, parse
from inference.index.search import Index

__all__ = ["LONGEST_QUERY", "Index", "parse"]
