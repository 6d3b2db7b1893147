"""What every page and job stands on: storage, jobs, accounts, the server, pages as such."""
