"""Pictures in SVG: of what a trace saw, and, under their names here, of ideas, to be shown before an exercise."""

from course.notebook.pictures.hardware import machine, passes, pipeline
from course.notebook.pictures.products import outer_product, reduction_tree, tile_walk, transposed_product
from course.notebook.pictures.threads import launch, strides, vectors

__all__ = [
    "launch",
    "machine",
    "outer_product",
    "passes",
    "pipeline",
    "reduction_tree",
    "strides",
    "tile_walk",
    "transposed_product",
    "vectors",
]
