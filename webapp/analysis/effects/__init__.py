"""How shares of topics depend on what is known of the documents: estimates by a formula, with
intervals."""
