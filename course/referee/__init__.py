"""The referee: makes the inputs, holds the reference, compares, explains."""
