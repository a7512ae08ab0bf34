"""Equal items inside rows: distinct items, groups, sets, membership and lookup."""
