"""Measure retrieval on golden questions."""
