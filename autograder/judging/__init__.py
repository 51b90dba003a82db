"""Judges the answers of a class: jobs, the sandbox in which answers run, a cluster of machines."""
