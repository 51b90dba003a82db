// What the shim's headers declare, in one unit: each source would parse the same headers again. Files that
// are not named here, as of an older version of the course, are no part of it.
#include "binding.cpp"
#include "messages.cpp"
#include "tensor.cpp"
