"""What readers say of topics: labels, notes, groups, merges, intrusion tests."""
