"""Reference and simulated models: a prompt becomes a response, without a language model."""
