"""Prompt templates, and the code that reads them."""
