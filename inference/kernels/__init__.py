"""Compiled code only: arrays and scalars in, arrays out. Nothing here checks its input, logs, or
keeps state."""
