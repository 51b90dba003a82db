"""The functions that notebook cells call. Besides the progress line, only this package depends on IPython."""
