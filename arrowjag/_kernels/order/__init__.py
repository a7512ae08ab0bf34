"""Order inside rows: sort, search, rank, the head of topk, and the strategies small, pairs, hash, matrix and partition."""
