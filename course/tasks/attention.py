"""O = softmax(Q @ K.T / 8) @ V for each head. Q, K, V and O are (H, N, 64), float32. Causal if CAUSAL is 1.

KernelBench, level 1, problem 97, without tensor cores.
"""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

H = 64  # heads, of all sequences together
N = 2048  # queries, and keys
CAUSAL = 0  # whether query i sees only the keys 0 to i
RISE = 0  # how much a score changes from key to key: upwards for even queries, downwards for odd ones
DIM = 64


class Model(nn.Module):
    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=bool(CAUSAL))


def get_inputs() -> list[torch.Tensor]:
    Q, K, V = (torch.randn(H, N, DIM) for _ in range(3))
    if RISE:
        Q[..., 0] = 8 - 16 * (torch.arange(N) % 2)
        K[..., 0] = RISE * (N + torch.arange(N))  # exp of an odd query's scores underflows if N is above 103
    return [2 * Q if not RISE else Q, K, V]


SIZES = {"tiny": {"H": 2, "N": 130}, "small": {"H": 4, "N": 512}, "full": {"H": 64, "N": 2048}}

WHOLE = [Case({"H": 2, "N": 64}), Case({"H": 1, "N": 128, "RISE": 1}), Case({"H": 0, "N": 64}), Case({"H": 3, "N": 0})]
ANY = [*cases("H N", (1, 1), (3, 2), (2, 65)), Case({"H": 2, "N": 127, "RISE": 1})]
REFUSED = refusals({"H": 2, "N": 64}, "host:1", "dtype:0", "short:2", "transposed")
CASES = [*ANY, *WHOLE, *REFUSED]


def sum_length() -> int:
    # A sum is rounded again at each rescaling. An exponential is as far off as its score, a sum of DIM terms.
    return N + DIM + 16 + DIM * (2 * RISE * N) ** 2


def bytes_moved() -> int:
    return 4 * 4 * H * N * DIM


def operations() -> int:
    return 4 * H * N * N * DIM // (1 + CAUSAL)


def mistakes(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> dict[str, torch.Tensor]:
    if not Q.numel() or Q.shape != K.shape or Q.shape != V.shape:
        return {}
    i, j = torch.arange(N, device=Q.device)[:, None], torch.arange(N, device=Q.device)
    block = i // 64 * 64  # the first query of a block that takes tiles of 64 keys, until it has its own queries' keys

    def seen(scores: torch.Tensor, later: int = 0) -> torch.Tensor:
        return scores.masked_fill(j > i + later, -torch.inf) if CAUSAL else scores

    def of(scores: torch.Tensor, values: torch.Tensor = V) -> torch.Tensor:
        return torch.softmax(scores, -1) @ values

    products = Q @ K.mT
    s = seen(products / 8)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    total = e.sum(-1, keepdim=True)
    tail = s.masked_fill(j < (block if CAUSAL else (N - 1) // 64 * 64), -torch.inf)  # the last tile's scores
    part = torch.exp(tail - s.amax(-1, keepdim=True)).sum(-1, keepdim=True)
    short = e @ V / part.where(part > total / 2, torch.nan)
    found = {
        "The scores are not divided by 8, the square root of the 64 terms of each.": of(seen(products)),
        "The scores are divided by 64, but must be divided by 8, its square root.": of(seen(products / 64)),
        "The scores are those of K and Q exchanged: element (i, j) must be query i times key j.": of(seen(s.mT)),
        "K is used in place of V in the sum of the values.": of(s, K),
        "V is used in place of K in the scores.": of(seen(Q @ V.mT / 8)),
        "All heads use the keys and values of head 0.": of(seen(Q @ K[:1].mT / 8), V[:1]),
        "The sum of the values is not divided by the sum of the exponentials.": e @ V,
        "The sum of the exponentials has only the last tile's keys: is it set to 0 in the loop over tiles?": short,
        "Only the last tile's keys count: is the maximum set to -INFINITY inside the loop over tiles?": of(tail),
    }
    if CAUSAL:
        tiles = (products / 8).masked_fill(j >= block + 64, -torch.inf)  # without a mask within them
        first = of(tiles).masked_fill(i > 0, torch.nan)
        local = tiles.masked_fill(j % 64 > i % 64, -torch.inf)
        w = torch.exp(torch.where(j > i, 0.0, tiles).masked_fill(j >= block + 64, -torch.inf))
        w = w / (w.sum(-1, keepdim=True) + (block + 64 - N).clamp(min=0))
        lane = torch.arange(DIM, device=Q.device) // 4 % 2  # of two threads that share queries
        one, two = (of(seen(Q * (lane == own) @ K.mT / 8)) * (lane == own) for own in (0, 1))
        turned = seen(Q @ K.unflatten(-1, (2, 8, 4)).transpose(-3, -2).flatten(-3).mT / 8)
        found |= {
            "The mask is missing: query i may see only the keys 0 to i.": of(products / 8),
            "The mask begins one key too late: query i also sees key i + 1.": of(seen(products / 8, 1)),
            "The mask begins one key too early: query i must also see key i.": of(seen(products / 8, -1)),
            "The mask compares key and query within their tiles: add the number of the tile's first key.": of(local),
            "Query 0 sees all keys of its tile, but may see only key 0: is the mask on the wrong side?": first,
            "A masked score is 0, so its exponential counts: it must be -INFINITY.": w @ V,
            "Each thread uses its own part of the scores: add the parts of both threads by a shuffle.": one + two,
            "A thread's float4s of a key are not those of its queries: lane, lane + 2, and so on.": of(turned),
        }
    for keys in (1, 4, 8, 16, 32, 64):
        highest = s.cummax(-1).values[..., ((j // keys + 1) * keys - 1).clamp(max=N - 1)]  # when key j is added
        old = torch.exp(s - highest).nan_to_num(0.0)
        rule = "is not rescaled when the maximum grows: multiply it by exp(old maximum - new maximum), as the sum of"
        rest = f"The values are those of a kernel that takes {keys} key{'s' * (keys > 1)} at a time."
        found |= {
            f"The sum of the values {rule} the exponentials. {rest}": old @ V / total,
            f"The sum of the exponentials {rule} the values. {rest}": e @ V / old.sum(-1, keepdim=True),
            "Neither sum is rescaled when the maximum grows: compute the factor exp(old maximum - new maximum) before "
            f"the maximum changes. {rest}": old @ V / old.sum(-1, keepdim=True),
        }
    return found


def few_sectors(H: int, N: int, CAUSAL: int = 0) -> Case:
    """A case for tiles of 64 keys and blocks of 64 queries, whose budget is 1.2 times their sectors.

    A block loads a tile of K and one of V, of 1024 sectors together, for each 64 keys that its queries see. A thread
    that loads or stores its own row by float4 takes twice the least number of sectors. At 384, a causal kernel that
    masks all tiles but skips none takes 1.45 times the sectors.
    """
    blocks = N // 64
    tiles = blocks * (blocks + 1) // 2 if CAUSAL else blocks * blocks
    sizes = {"H": H, "N": N} | ({"CAUSAL": 1} if CAUSAL else {})
    return Case(sizes, budget={"sectors": 6 * H * (1024 * tiles + 32 * N) // 5})


def few_wavefronts(H: int, N: int) -> Case:
    """A causal case of kernels whose threads share queries: 0.6 of the wavefronts of one query per thread.

    For each key, a warp loads 32 float4s of K and of V if each lane has a query of its own, in 64 wavefronts. If two
    lanes share two queries, it makes 16 loads of 2 wavefronts, and if four lanes share four, 8 loads of 4. The stores
    to the tiles take one more.
    """
    pairs = H * N * (N + 128) // 2  # of a query and a key, in blocks of 128 queries
    asks = "several threads that share several queries, so that each loaded float4 serves all of these"
    return Case({"H": H, "N": N}, budget={"wavefronts": pairs // 32 * 40}, asks=asks)


VARIANTS = {
    "attention_tiled": {
        "__doc__": "Attention for whole tiles of 64 keys, also judged by the sectors that it requests.",
        "CASES": [few_sectors(1, 128), *WHOLE, *REFUSED],
    },
    "attention_causal": {
        "__doc__": "Causal attention for whole tiles, also judged by the sectors that it requests.",
        "CAUSAL": 1,
        "CASES": [few_sectors(1, 384, 1), *WHOLE, *REFUSED],
    },
    "attention_causal_any": {
        "__doc__": "Causal attention for any length.",
        "CAUSAL": 1,
        "CASES": [*ANY, Case({"H": 1, "N": 200})],
    },
    "attention_shared": {
        "__doc__": "Causal attention for any length, also judged by its wavefronts in shared memory.",
        "CAUSAL": 1,
        "CASES": [few_wavefronts(1, 256), *ANY, *WHOLE, *REFUSED],
    },
}
