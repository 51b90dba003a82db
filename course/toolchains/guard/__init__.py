"""What a judged answer may request from a compiler, and use from a library."""
