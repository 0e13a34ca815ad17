"""Plain compositions of stages; usable without Prefect."""
