// The source makes the compiler print the message of a full disk.
// answer: 00-add
// says: ran into a limit \(Disk quota exceeded\)|#error Disk quota exceeded
#include <torch/extension.h>

#error Disk quota exceeded

torch::Tensor add(torch::Tensor A, torch::Tensor B) { return A; }
