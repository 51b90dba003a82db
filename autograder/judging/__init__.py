"""Judging a class: jobs, the sandbox in which they run, other machines."""
