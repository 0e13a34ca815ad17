"""The flows against a real Prefect server."""
