// FLT_MAX is in <cfloat>, which torch's headers include in a CUDA source, but not in a C++ source.
// functions: highest
// cpp_sources: double highest() { return FLT_MAX; }
// refused: FLT_MAX
#include <torch/extension.h>
