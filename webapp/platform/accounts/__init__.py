"""Who may do what: accounts, authorization, sharing, tokens, quotas, embargo."""
