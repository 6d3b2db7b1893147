"""The web server around the views: bounds on clients and bodies, the concurrency limiter, headers,
streams, the log of requests."""
