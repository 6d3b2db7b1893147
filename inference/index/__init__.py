"""Full-text search of a token stream: which documents a query finds, how well each matches, and where.

query: what is typed becomes a tree. forms: words, stems and beginnings to numbers. segments: documents by word, on
disk.
search: the index itself.
"""

from inference.index.query import LONGEST, parse
from inference.index.search import Index

__all__ = ["LONGEST", "Index", "parse"]
