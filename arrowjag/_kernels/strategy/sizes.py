"""Every size threshold of the kernels and of the operations that choose between kernels, with the measurement behind it.

Times are of one core of a 2-core x86 machine, on float64 unless a line says otherwise. Read a size as `sizes.NAME` when it is
needed, never into a constant of the caller: `strategy.force` changes it here, and threads of the pool must see the change.
"""

# ------------------------------------------------------------------------------------------------------------- few values

SMALL_VALUES = 1000
"""Below this many values np.lexsort orders all rows at once: 100 values take 6 us, by the calls of other strategies 40 to 80."""

CALL_VALUES = 1 << 12
"""Below this many values the calls of one-pass kernels cost more than the work: numpy's a quarter of pyarrow's, a thread 60 us."""

MATRIX_VALUES = 8192
"""Below this many values rows of all lengths share one padded matrix: argsort of ten rows takes 70 us, 193 by length."""

SEARCHED_PLACES = 64
"""So many places at most are searched among those of True, not counted: 100 values in 10 rows take 0.8 us, not 2.6."""

PARENTS_VALUES = 256
"""Below this many values np.repeat makes parents in 2 us, a count and a running sum in 5."""

# ------------------------------------------------------------------------------------------------------------- threads, blocks

THREAD_VALUES = 200_000
"""Below this many values rows are not divided among threads: to hand a task to a thread costs 60 us."""

LIGHT_VALUES = 1_500_000
"""As THREAD_VALUES, for loops at the speed of memory: maxima of 1M float64 in rows of 1,000 take 0.14 ms, on two threads 0.2."""

LIGHT_BYTES = 6_000_000
"""Smaller results of copies and arithmetic are left to one thread: 1M float64 plus one take 0.29 ms, on two threads 0.21."""

LIGHT_ROW = 50
"""Values that such a loop takes in the time that a row costs beside its values."""

LIGHT_BITS_PER_VALUE, LIGHT_BITS_PER_ROW = 16, 200
"""Bits that a loop over words of bits reads in the time that another one takes for a value, and a row costs beside its bits."""

CACHE_VALUES = 1 << 17
"""Values per block of kernels with temporaries: 1 MB of float64, which stays in the second-level cache."""

LARGE_VALUES = 1 << 20
"""Values per block of kernels with few temporaries, or that batch rows by length: fewer calls, more rows per batch."""

PASS_VALUES = 1 << 18
"""Values per block of one pass over flat values: long enough for threads to take turns, short enough for a cache."""

BITS_UNPACKED = 100
"""To read one bit by itself takes as long as to unpack this many: bits at fewer than one place in a hundred are read one by one."""

ONE_PASS_VALUES = 1 << 17
"""Below this many values one pass over all of them on one core is as fast as blocks on all cores."""

WORD_VALUES = 1 << 16
"""Values per block where items are moved one by one (weave, nth, inverse permutation, rounding, transpose)."""

BATCH_VALUES, BLAS_PRODUCTS, BLAS_ROWS = 1 << 17, 1 << 18, 16
"""Values per batch of rows of one length; products below which OpenBLAS starts no thread; rows that are worth a call of it."""

WINDOW_BYTES = 1 << 21
"""Bytes per block where rows are copied as windows, and of dense cells."""

ROWS = 1 << 16
"""Rows per block of passes over offsets."""

ARROW_MEMORY_BYTES, COUNTED_MEMORY_BYTES = 1 << 16, 1 << 29
"""From the first on Arrow's pool gives memory: 53 MB take 1.7 ms, by malloc 10.6. From the second on that much must be free."""

# ------------------------------------------------------------------------------------------------------------- order

SORT_BLOCK = 1 << 19
"""Values that a task sorts: keys, matrix and result stay in the second-level cache."""

SEARCH_BLOCK = 1 << 15
"""Items that a task looks up in sorted rows, so that the data of one round of the search stays in cache."""

PART_VALUES = 1 << 18
"""Values of one huge row that a task sorts: enough parts of each length for a matrix."""

RUNS_BLOCK = 1 << 18
"""Values per task where gathers follow a sort: on whole columns they leave the cache and take twice as long."""

HUGE = 1 << 17
"""polars sorts longer rows, and all cores share the parts of their order: 2.5M float64 in one row take 55 ns an item, whole 90."""

PART_ITEMS = 64
"""Items per part of a huge row that is divided by value."""

PART_BITS = 12
"""Leading bits of a code that choose the part; pyarrow sorts up to 12 bits by counting."""

RADIX_BITS = 16
"""Codes of a huge row of so few bits are sorted by radix and ranked by counts: 1M in 23 and 9 ms, in parts 45 and 75."""

MOST_PARTS = 1 << 15
"""Parts of a huge row at most: their numbers fit 16 bits, which numpy sorts by radix."""

PART_SAMPLE = 1 << 13
"""Items that tell how the codes of a huge row are distributed."""

HASH_PART = 1 << 13
"""Items per part of a huge row that is divided by hash, if most of them differ."""

PAIRS_LENGTH = 28
"""Rows up to this length are compared pair by pair: 5M values in rows of ten take 60 ms of work to argsort, by sorting 105."""

SORT_LENGTH = 16
"""Rows up to this length on average are sorted by a compiled loop: 1M float64 in rows of 3 take 5 ms, as matrices 19."""

DIGIT_LENGTH = 150
"""Rows of more items than this per digit are sorted by digits: 1M float64, of six digits, in one row take 18 ms, by np.sort 40."""

SAMPLED_ROWS = 8192
"""Every row is read for its length up to about twice this many rows, of more a sample: a million lengths take 4 ms."""

PAIRS_VALUES = 8192
"""Below this many values the number of numpy calls decides, which is one per pair of slots: one matrix is sorted."""

PAIRS_BLOCK = 3 << 19
"""Values per task of pairs: enough rows of each length for a numpy call."""

HASH_LENGTH = 128
"""Rows up to this length are sorted in less time than hashed: a hash takes 14 ns per value, a sort 9 in rows of 100, 25 of 500."""

HASH_COUNT_LENGTH = 512
"""As HASH_LENGTH, where only the number of distinct items is wanted: values are sorted without their places, in half the time."""

HASH_BLOCK = 1 << 15
"""Items whose hash tables stay in cache, with all that is computed on the way."""

SELECT_LENGTH = 512
"""In longer rows quantiles are selected: 10 ns per item in rows of 1,000, sorted 14."""

SELECTION_BITS, INTEGER_SELECTION_BITS = 3, 5
"""Several quantiles are selected one by one where the length of the rows has this many bits for each of them."""

SELECT_ROWS = 32
"""Up to this many rows of one length the quantiles of several lengths are finished together: calls cost more than rows."""

WINDOW_TILE = 1024
"""Windows that a compiled loop finds at a time: 1M sums of 100 float64 in 1.6 ms, with 8,192 in 2.2, by numpy in 7."""

RANK_SLOTS, COMPILED_RANK_SLOTS = 400, 6000
"""Longer windows are searched by ranks, not sorted one by one, or kept sorted by a compiled loop."""

TOPK_SEGMENT = 32
"""Neighbouring items whose extreme stands for them in topk."""

TOPK_SHARE = 4
"""A row must be this many times as long as the segments that topk looks at: 5M float64 in Zipf rows take 15 ms, a sort 130."""

TOPK_VALUES = 8192
"""Below this many values topk sorts."""

# ------------------------------------------------------------------------------------------------------------- reductions, scans

POLARS_VALUES = 1 << 15
"""From here on polars, if loaded, reduces short rows: 5M float64 in 500k rows take 6 ms, by numpy 9; a call costs 40 us."""

COMPILED_VALUES = 1 << 13
"""From here on a compiled loop is looked for: the first time in a process that costs 50 ms, to load llvmlite."""

BITS_LENGTH = 128
"""Rows are longer, on average, where loops read the bits of nulls: the maximum of 1M float64 in 0.3 ms; unpacked in 0.4."""

COMPILED_CALLS = 300
"""After this many calls on few values a loop is loaded, in 30 ms; if it is missing, each counts CALL_VALUES of COMPILING_VALUES."""

COMPILING_VALUES = 1 << 20
"""Once calls have needed a missing loop for this many values in all, another process compiles it, in about a second."""

POLARS_LOAD_VALUES = 1_000_000
"""From here on polars is worth loading, if it is installed."""

POLARS_ROW = 32
"""From this mean length on polars, if loaded, takes rows with nulls as they are, and finds slots: a row costs it 100 ns."""

REDUCED_ROW = 128
"""From this mean length on numpy reduces rows at the speed of memory: 1M float64 in rows of 1,000 in 0.3 ms, by polars in 0.45."""

POLARS_FILTER_VALUES = 500_000
"""From here on polars filters numbers: half of 5M float64 in 2.4 ms, pyarrow 12.7."""

SCAN_CELLS = 4096
"""Up to this many cells, rows times the longest, one matrix is scanned: 100 values take 8 us, slot by slot 60."""

SCAN_LENGTH = 64
"""Rows up to this length are scanned slot by slot, all rows in one numpy call; 5M values in rows of ten take 30 ms."""

SCAN_ROWS = 8
"""Fewer long rows of one length are scanned one by one: to copy them into a matrix and back costs a fourth more."""

SHIFT_SLOTS = 16
"""A shift by more slots compares positions; a shift by fewer clears one flag per row and slot."""

# ------------------------------------------------------------ moving values, dense, transpose

RUN_VALUES = 1 << 14
"""Below this many values runs are moved item by item."""

RUN_LENGTH = 4
"""Runs and rows that are shorter on average are moved item by item: 10M values in rows of ten take 14 ms as runs, 36 as items."""

SLICED_RUNS = 64
"""Up to this many runs of a block are copied slice by slice, 0.3 us each; Arrow's take has 20 us of calls and copies twice."""

MOVED_FLAGS = 3
"""Rows of one such length have their nulls moved as bytes: those of 1M items in rows of three in 0.6 ms, as bits in 1.1."""

MOVED_LENGTH = 128
"""Rows of words longer than this on average are moved by memcpy: 1M float64 in rows of 300 take 0.8 ms, by a compiled loop 1.0."""

REPEAT_LENGTH = 3
"""Rows of this mean length or more get their parents from np.repeat: 1M values in rows of ten take 1.5 ms, by counting 3.4."""

WINDOW_WIDTH = 64
"""Cells of the widest window; wider ones read more beyond the end of short rows than they save."""

WINDOW_WASTE = 3
"""A window may write this many times as many cells as there are values: positions in rows of ten take 5 ms for 5M, a sum 10."""

SPARSE_PLACES = 32
"""One place in this many or fewer is sorted to see whether places repeat; more are marked: 15 ms for 5M, a sort 300."""

REPEAT_COLUMNS, FEW_COLUMNS = 4, 8
"""Up to this many copies of each item, or items per row, numpy works column by column; two arrays are added below the second."""

REPEATED_AT_ONCE, TILE_VALUES = 1 << 15, 1 << 11
"""A shorter result is repeated by one call of numpy; for longer ones short tiles are repeated up to the second length first."""

BIT_TABLE_COLUMNS = 64
"""Bits that are repeated more often are spread; up to here a table tells what each byte becomes."""

SET_COMPARED, EDGES_COMPARED = 8, 32
"""Up to this many numbers or edges are compared with items one by one: three with 5M int64 in 5 ms, a table takes 12, hashes 50."""

SET_TABLE = 1 << 16
"""A set of integers in a narrower range is looked up in a table that stays in cache."""

CHOICE_VALUES = 1 << 14
"""From here on if_else selects by masks in blocks: 5M values with random flags in 8 ms, pyarrow and numpy 20."""

UTF8_POLARS_BYTES = 1 << 17
"""From here on polars validates UTF-8, if it is loaded: 15 GB/s, a compiled loop 11, Arrow 1.5 to 4; a call costs 30 us."""

TEXT_WORDS, FEW_TEXTS, FEW_TEXTS_BYTES, TAKEN_TEXTS = 4, 128, 1 << 13, 1 << 9
"""Words of eight bytes that sort texts; texts, and their bytes, for Python's str; texts that two loops take faster than Arrow."""

TEXT_VALUES = 1 << 14
"""From here on text is divided among cores: upper case of 16,000 words of 7 bytes takes 0.5 ms, a call of a thread 0.03."""

REGEX_POLARS_VALUES = 1 << 12
"""From here on polars, if loaded, searches for regular expressions: words of 7 bytes take 35 ns, by Arrow 55, a call 60 us."""

UTF8_LOAD_BYTES = 1 << 29
"""From here on polars is worth loading for it, if it is installed: loading takes 0.1 s and saves 0.15 to 0.3 s."""

UTF8_PIECE = 1 << 30
"""Bytes that are validated at once: polars counts those of one value in 32 bits."""

ARITHMETIC_VALUES = 1 << 19
"""From here on arithmetic goes in blocks on all cores; below one call of pyarrow is as fast."""

DIVISION_BLOCK = 1 << 16
"""Values per block of floor_divide and remainder, which have several temporaries."""

JIT_VALUES = 1 << 20
"""From here on stretches of recorded calls run in blocks of rows."""

JIT_BLOCK = 1 << 18
"""Values per block of a stretch of recorded calls: each call on a block costs 40 us, as much as the work on 50k values."""

JIT_CALLS = 6
"""Fewest calls on items for which blocks pay: six operators on 2M float64 take 0.8 of the time of whole columns, four as long."""

JIT_SHARE = 12
"""Calls on items for each other call of a stretch: a sum of 12 takes 0.9 of the time of whole columns, of six 1.2."""

COMBINATION_ITEMS = 1 << 14
"""Up to this many items of choices no table is made for each length of row: calls cost more."""

WINDOW_FACTOR = 4
"""How many times as large blocks are where rows are copied as windows: with few long calls, threads seldom wait for the GIL."""

WIDEST_ITEM_BYTES = 128
"""Items wider than this are not copied as windows: too much would be copied that is not wanted."""

WINDOW_CELLS_PER_VALUE = 8
"""Up to this many dense cells of at most 8 bytes per value rows are copied as windows: 10M float32 in 1M rows take 18 ms, or 44."""

WIDE_WINDOW_CELLS_PER_VALUE = 3
"""As WINDOW_CELLS_PER_VALUE, for items wider than 8 bytes."""

DENSE_IN_PLACE_VALUES = 1 << 19
"""Numbers per block of a ufunc that writes into its dense operand."""

SOFTMAX_BLOCK = 1 << 21
"""Items per block of a flat softmax: one call of polars for its sums costs as much as the sums of a few thousand rows."""

COLUMN_ROWS = 1 << 14
"""Rows whose columns are written together: their starts and sizes stay in the second-level cache."""

COLUMN_MIN_ROWS = 256
"""Columns with fewer rows per block are sorted: they cost more to begin than to write."""

LARGE_FRAME = 1 << 16
"""A frame of two dims with more items is transposed column by column: 10M items in 1M rows in 70 ms, by coordinates 570."""

COUNTED_BITS = 12
"""Largest number of bits for which pyarrow's counting sort is used: 10M values of 5 bits take 27 ms, numpy's radix sort 90 ms."""

# ------------------------------------------------------------ above the kernels: polars' expressions, Python functions, dims

EXPRESSION_VALUES = 2_000_000
"""Below this many values a list expression of polars runs in one piece: it takes 2 ms, and the streaming engine uses all cores."""

EXPRESSION_BLOCK = 1_250_000
"""Values per block of a list expression: a call costs 50 us; larger blocks might wait for a core that others use."""

EXPRESSION_FLAGS = 1 << 18
"""Flags that are written before they are packed: bytes that stay in cache."""

EXPRESSION_PARTS = 4
"""Parts of a comparison that threads share."""

STRETCH_ROWS = 1000
"""Fewest rows for which a tree of calls is divided into stretches: a smaller batch is computed call by call."""

INTERPRETED_ROWS, FUNCTION_PART = 200, 10_000
"""Rows to interpret before compiling a function, which must return the type of their results; fewest rows or items per task."""

COMPILED_ROWS = 100_000
"""Fewest rows for which a function is compiled: interpreting this many takes about as long as compiling, 0.4 s."""

REPLACED_VALUES = 8
"""Largest number of values that are compared with the items one by one: 4 ms per value for 5M int64, 90 ms in all by hashes."""

COMPARED_ROWS = 1 << 10
"""Two dims with fewer rows are compared row by row, whatever their encodings are."""

DIM_BLOCK = 1 << 18
"""Rows that are written out at a time where a dim must be walked."""

STEP_ROWS = 1 << 16
"""Offsets per block of the test whether all rows have one size: blocks stay in cache."""

JOINED_RUNS = 1 << 12
"""Runs that a slice writes out, or `cat` joins into new ones; more are chained, so that appending stays cheap."""
