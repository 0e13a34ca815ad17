"""Tests of the local model servers and of the command that runs them."""
