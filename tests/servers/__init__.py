"""Model servers on loopback: the OpenAI API's rules, and a small real model."""
