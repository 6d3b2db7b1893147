"""Background jobs: kinds, claims, heartbeat, sweep, scheduler, roster of workers, events for open
pages. See README.md."""
