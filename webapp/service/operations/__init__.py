"""For whoever runs the server: backup, restore, health, metrics, the operator's page."""
