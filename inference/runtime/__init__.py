"""What the engines run on: compiled kernels, threads, memory, durable files, versions."""
