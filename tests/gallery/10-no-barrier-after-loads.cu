// No barrier is between the loads of the tiles and their use.
// task: attention_causal
// refused by: emulator
// hazards: race
// says: a race on the shared array .*a __syncthreads\(\) is missing between line
// change of: solution 10-causal
@@
-        __syncthreads();  // no thread uses the tiles before they are complete
