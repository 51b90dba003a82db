// What the shim's headers declare, in one unit, because separate units would parse the same headers again.
// Files that are not named here, perhaps from an older version of the course, are not part of it.
#include "binding.cpp"
#include "messages.cpp"
#include "tensor.cpp"
