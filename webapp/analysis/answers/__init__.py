"""Questions of difference as pages ask them, each answered once by inference.answers."""
