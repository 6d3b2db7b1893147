"""CSV that a spreadsheet may open: a cell must not become a formula (OWASP, "CSV Injection")."""

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the start of a formula


def safe(row: list) -> list:
    """The row with an apostrophe before each text that a spreadsheet would run; numbers stay numbers."""
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(DANGEROUS) else cell for cell in row]


def safe_sql(column: str) -> str:
    """The same as an SQL expression over a text column."""
    return f"CASE WHEN {column} ~ '^[-=+@\\t\\r]' THEN '''' || {column} ELSE {column} END"
