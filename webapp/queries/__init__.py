"""What pages read. Each returns plain values that a template and a .json twin can both show."""
