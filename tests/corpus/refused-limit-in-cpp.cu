// FLT_MAX is in <cfloat>, which torch's headers bring into a CUDA source alone.
// functions: highest
// cpp_sources: double highest() { return FLT_MAX; }
// refused: FLT_MAX
#include <torch/extension.h>
