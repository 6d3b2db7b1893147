"""What the program holds of a person: taken along as one file, and deleted with the account
(docs/own-data.md)."""
