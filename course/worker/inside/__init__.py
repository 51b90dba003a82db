"""What runs in the process of student code: never import this where the answer is known."""
