"""The formats of a report; every one makes text from logs harmless before it shows it."""
