"""Running models locally, and measurements beside other tools."""
