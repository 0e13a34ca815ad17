"""Prompt templates with declared variables."""
