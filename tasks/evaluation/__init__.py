"""Golden questions, measures and honest differences; pure functions, no settings."""
