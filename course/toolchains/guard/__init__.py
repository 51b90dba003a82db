"""What a judged answer may ask of a compiler, and take from a library."""
