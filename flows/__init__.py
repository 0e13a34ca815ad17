"""The pipelines as Prefect flows, each stage a task run."""
