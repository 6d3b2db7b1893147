"""What a run's overview says: findings as they are computed, stored, put in sentences and shown.
docs/findings.md."""
