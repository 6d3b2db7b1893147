"""Everything that runs Topograph on one machine: the environment, Postgres, Valkey, the
processes."""
