"""Pictures of what one block requests from memory: which addresses and banks, which elements, and when.

Each is drawn from the accesses of one block (`tracing.Access`), and its alternative text says what it shows.
"""
