"""What the web server does around the views: bounds on clients and bodies, how much is in work at once, headers, streams, the log of requests."""
