"""What a notebook cell calls: the only part that knows IPython, except the progress line."""
