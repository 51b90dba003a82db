"""The referee makes the inputs, holds the reference, compares an answer's output with it, and explains mistakes."""
