"""The stages of the pipeline, one a module, each a function of its arguments."""
