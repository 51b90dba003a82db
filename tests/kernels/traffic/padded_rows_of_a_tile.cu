// Each thread of a half warp reads its own row of a padded tile, word by word; the halves read the same words.
// why: A store of two rows meets one bank twice. Rows of loads have different banks, and few begin at 16 bytes.
// elements: 256
// launch: 1, 32
// global load 4: 8 requests, 32 sectors, ideal 32, 8 cycles
// shared store 4: 8 requests, 16 wavefronts, ideal 8, 16 cycles
// shared load 4: 16 requests, 16 wavefronts, ideal 16, 16 cycles
// global store 4: 1 requests, 4 sectors, ideal 4, 1 cycles
#include "shared.cuh"

__global__ void padded_rows_of_a_tile_kernel(const float* a, float* c, int n) { sum_rows<1>(a, c, n); }
