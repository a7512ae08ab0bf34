"""Order inside rows, by the strategies small, pairs, matrix, hash and partition: sort, rank, the head of topk."""
