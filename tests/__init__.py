"""Tests of wherein."""
