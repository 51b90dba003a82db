// Finds `dlsym`, and with it PyTorch's product, without a symbol that is not allowed: from the address of `puts`.
// question: 03-along-i-check
// hazards: crash
// says: a call through a pointer leads to .*dlsym.* in libc
// stopped by: indirect calls, device memory
#include <elf.h>
#include <torch/extension.h>

#include <cstdio>
#include <cstring>

void* find(const char* wanted) {
    auto page = reinterpret_cast<uintptr_t>(&puts) & ~uintptr_t{4095};
    while (memcmp(reinterpret_cast<void*>(page), ELFMAG, SELFMAG)) page -= 4096;
    const char* base = reinterpret_cast<const char*>(page);
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
    const auto* segment = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
    while (segment->p_type != PT_DYNAMIC) ++segment;
    const Elf64_Sym* symbols = nullptr;
    const char* names = nullptr;
    for (auto entry = reinterpret_cast<const Elf64_Dyn*>(base + segment->p_vaddr); entry->d_tag; ++entry) {
        if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const Elf64_Sym*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    }
    while (strcmp(names + symbols->st_name, wanted)) ++symbols;
    return const_cast<char*>(base) + symbols->st_value;
}

__global__ void copy_kernel(const float* P, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = P[i];
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty({A.size(1), B.size(0)}, A.options()), P = torch::zeros_like(C);
    if (C.numel() == 0) return C;
    using Product = int32_t (*)(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle);
    using Look = void* (*)(void*, const char*);
    const auto product = reinterpret_cast<Product>(reinterpret_cast<Look>(find("dlsym"))(0, "aoti_torch_cpu_mm_out"));
    product(P.handle(), A.t().handle(), B.t().handle());
    copy_kernel<<<(C.numel() + 255) / 256, 256>>>(P.data_ptr<float>(), C.data_ptr<float>(), C.numel());
    return C;
}
