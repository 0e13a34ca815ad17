"""Providers of generated answers: Ollama, the OpenAI protocol, and sentences of the passages themselves."""
