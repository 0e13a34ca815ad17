"""Answers with planted errors of citation, and as many right ones, over the sample journal and texts of our own."""
