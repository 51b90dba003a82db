"""Why an answer is wrong: an ordered list of rules (rules.py), what they read (from_*.py), and all their texts."""
