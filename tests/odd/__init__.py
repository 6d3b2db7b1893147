"""Small odd collections, and the requests for every page of them (`python -m tests.odd`)."""
