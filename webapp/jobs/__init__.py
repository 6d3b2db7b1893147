"""Work in the background: claims, heartbeat, scheduler, events, who the workers are."""
