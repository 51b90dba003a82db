"""Pictures in SVG. The functions in this namespace explain ideas before an exercise; `trace` uses the other modules."""

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
