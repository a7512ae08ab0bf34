"""Every size threshold of the kernels and of the operations that choose between kernels, with the measurement behind it.

Times are of one core of a 2-core x86 machine, on float64 unless a line says otherwise. Read a size as `sizes.NAME` when it is
needed, never into a constant of the caller: `strategy.force` changes it here, and threads of the pool must see the change.
"""

# ------------------------------------------------------------------------------------------------------------- few values

SMALL_VALUES, READY_VALUES = 1000, 256
"""Below the first number of values np.lexsort sorts all rows at once, and below the second even where a compiled loop is ready: 100
values take 6 us, the calls of other strategies 40 to 80. A sort of 1,000 takes 90 us, by a loop 30: measure with new values in each
call, because processors learn the branches of a few thousand."""

CALL_VALUES = 1 << 12
"""Below this many values, calls cost more than the work of one pass: numpy's cost a quarter of pyarrow's, and a thread 60 us."""

MATRIX_VALUES = 8192
"""Below this many values rows of all lengths share one padded matrix: argsort of ten rows takes 70 us, not 193."""

SEARCHED_PLACES = 64
"""Up to this many places are searched among those of True; more are counted. 100 values in 10 rows take 0.8 us, not 2.6."""

PARENTS_VALUES = 256
"""Below this many values np.repeat makes parents, in 2 us; a count and a running sum take 5."""

# ------------------------------------------------------------------------------------------------------------- threads, blocks

THREAD_VALUES = 200_000
"""Below this many values, or rows of a pass over offsets, rows are not divided among threads: handing over a task costs 60 us, and
memory that another core has read last is written at a tenth of the speed, or less."""

LIGHT_VALUES = 1_500_000
"""As THREAD_VALUES, for loops at the speed of memory: maxima of 1M float64 in rows of 1,000 take 0.14 ms, on two threads 0.2."""

LIGHT_BYTES = 12_000_000
"""One thread writes smaller results of copies and arithmetic: 1M float64 plus one take 0.26 ms, and 0.37 on two threads."""

LIGHT_ROW = 50
"""The overhead of a row in such a loop, counted in values."""

LIGHT_BITS_PER_VALUE, LIGHT_BITS_PER_ROW = 16, 200
"""Bits that a loop over bits reads in the time that other loops take for one value, and the overhead of a row, counted in bits."""

CACHE_VALUES = 1 << 17
"""Values per block of kernels with temporaries: 1 MB of float64, which stays in the second-level cache."""

LARGE_VALUES = 1 << 20
"""Values per block of kernels with few temporaries, or that batch rows by length: fewer calls, more rows per batch."""

PASS_VALUES = 1 << 18
"""Values per block of one pass over flat values: long enough for threads to take turns, short enough for a cache."""

BITS_UNPACKED = 100
"""Reading one bit takes as long as unpacking this many: if fewer than one bit in a hundred is needed, bits are read one by one."""

ONE_PASS_VALUES = 1 << 17
"""Below this many values one pass over all of them on one core is as fast as blocks on all cores."""

WORD_VALUES = 1 << 16
"""Values per block where items are moved one by one (weave, nth, inverse permutation, rounding, transpose)."""

BATCH_VALUES, BLAS_PRODUCTS, BLAS_ROWS = 1 << 17, 1 << 18, 16
"""Values per batch of rows of one length; products below which OpenBLAS starts no thread; fewest rows for a call of it."""

WINDOW_BYTES, ROWS = 1 << 21, 1 << 16
"""Bytes per block where rows are copied as windows, and of dense cells; rows per block of passes over offsets."""

ARROW_MEMORY_BYTES, COUNTED_MEMORY_BYTES = 1 << 16, 1 << 29
"""From the first size on, Arrow's pool allocates: 53 MB take 1.7 ms, by malloc 10.6. From the second on, free memory is checked."""

UNPACKED_BYTES, UNPACKED_BLOCK = 1 << 19, 1 << 13
"""Bytes of bits that are unpacked into the pool, and per block: a `scan` of 5M items with nulls takes 17 ms, through malloc 21."""

# ------------------------------------------------------------------------------------------------------------- order

SORT_BLOCK = 1 << 19
"""Values that a task sorts: keys, matrix and result stay in the second-level cache."""

SEARCH_BLOCK = 1 << 15
"""Items that a task looks up in sorted rows, or interpolates: the data of a round stays in cache. 1M in 11 ms, by halves in 14."""

PART_VALUES = 1 << 18
"""Values of one huge row that a task sorts: enough parts of each length for a matrix."""

RUNS_BLOCK = 1 << 18
"""Values per task if gathers follow a sort: gathers on whole columns leave the cache and take twice as long."""

HUGE = 1 << 17
"""polars sorts longer rows, or all cores sort parts of them: 2.5M float64 in one row take 55 ns per item, and 90 without parts."""

PART_ITEMS = 64
"""Items per part of a huge row that is divided by value."""

PART_BITS = 12
"""Leading bits of a code that choose the part; pyarrow sorts up to 12 bits by counting."""

RADIX_BITS = 16
"""Up to this many bits, codes of a huge row are sorted by radix and ranked by counts: 1M take 23 and 9 ms, in parts 45 and 75."""

MOST_PARTS = 1 << 15
"""Largest number of parts of a huge row: part numbers fit 16 bits, which numpy sorts by radix."""

PART_SAMPLE = 1 << 13
"""Items in the sample from which the distribution of the codes of a huge row is estimated."""

HASH_PART = 1 << 13
"""Items per part of a huge row that is divided by hash, if most of them differ."""

PAIRS_LENGTH = 28
"""Rows up to this length are compared pair by pair: argsort of 5M values in rows of ten takes 60 ms of work, and 105 by sorting."""

SORT_LENGTH = 16
"""Rows up to this mean length are sorted by a compiled loop: 1M float64 in rows of 3 take 5 ms, and 19 as matrices."""

DIGIT_LENGTH = 150
"""Rows with more items than this per digit are sorted by digits: one row of 1M float64 (six digits) takes 18 ms, by np.sort 40."""

SAMPLED_ROWS = 8192
"""Up to about twice this many rows, every length is read; of more rows, those of a sample. A million lengths take 4 ms."""

PAIRS_VALUES = 8192
"""Fewer values are hashed, or sorted as one matrix: comparing pairs by numpy needs a call per pair of slots, which costs more."""

PAIRS_BLOCK = 3 << 19
"""Values per task of pairs: enough rows of each length for a numpy call."""

LONG_LENGTH = 128
"""Rows with more items are called long: there are few of each length, and sorting them takes most of the time."""

HASH_BLOCK = 1 << 15
"""Items whose hash tables stay in cache, with all that is computed on the way."""

SELECT_LENGTH = 512
"""Quantiles of longer rows are selected: in rows of 1,000 this takes 10 ns per item, and a sort 14."""

SELECTION_BITS, INTEGER_SELECTION_BITS = 3, 5
"""Several quantiles are selected one by one where the length of the rows has this many bits for each of them."""

SELECT_ROWS = 32
"""Up to this many rows of one length, quantiles of several lengths are computed together: calls cost more than rows."""

WINDOW_TILE = 1024
"""Windows that a compiled loop computes at a time: 1M sums of 100 float64 take 1.6 ms, with 8,192 at a time 2.2, and by numpy 7."""

RANK_SLOTS, COMPILED_RANK_SLOTS = 400, 6000
"""Quantiles of longer windows are searched by ranks. Shorter ones are sorted one by one, or kept sorted by a compiled loop."""

TOPK_SEGMENT = 32
"""Items per segment of topk, which compares the extremes of segments first."""

TOPK_SHARE = 4
"""A row must be this many times as long as the segments that topk reads: 5M float64 in Zipf rows take 15 ms, and a sort 130."""

TOPK_VALUES = 2048
"""Below this many values topk sorts: three of one row of 3,000 take 120 us, by segments 85."""

# ------------------------------------------------------------------------------------------------------------- reductions, scans

POLARS_VALUES = 1 << 15
"""From here on polars, if loaded, reduces short rows: 5M float64 in 500k rows take 6 ms, and 9 by numpy; a call costs 40 us."""

COMPILED_VALUES = 1 << 13
"""From here on compiled loops are used: loading llvmlite, once per process, costs 50 ms."""

BITS_LENGTH = 128
"""In rows of a greater mean length, loops read the bits of nulls: maxima of 1M float64 take 0.3 ms, and 0.4 with unpacked bits."""

LOADING_VALUES, COUNTED_VALUES = 30_000, 100
"""Values of calls on few after which a loop is loaded, in 1 ms, the first in 60; a call counts as the second number at least."""

COMPILING_VALUES = 1 << 20
"""Once calls have needed a missing loop for this many values altogether, another process compiles it, in about a second."""

POLARS_LOAD_VALUES = 1_000_000
"""From here on polars is worth loading, if it is installed."""

POLARS_ROW = 32
"""From this mean length on polars, if loaded, reduces rows with nulls, and finds slots: each row costs 100 ns."""

REDUCED_ROW = 128
"""From this mean length on numpy is as fast as memory: reducing 1M float64 in rows of 1,000 takes 0.3 ms, and 0.45 by polars."""

POLARS_FILTER_VALUES = 1 << 14
"""From here on polars, if loaded, filters numbers: to keep half of 20k float64 takes 27 us, by pyarrow 47; of 100k 54 and 200."""

SCAN_CELLS = 4096
"""Up to this many cells (rows times the longest row) one matrix is scanned: 100 values take 8 us, and 60 slot by slot."""

SCAN_LENGTH = 64
"""Rows up to this length are scanned slot by slot, all rows in one numpy call; 5M values in rows of ten take 30 ms."""

SCAN_ROWS = 8
"""Fewer long rows of one length are scanned one by one: copying them into a matrix and back costs a quarter more."""

SHIFT_SLOTS = 16
"""A shift by more slots compares positions; a shift by fewer slots clears one flag per row and slot."""

# ------------------------------------------------------------ moving values, dense, transpose

RUN_VALUES = 1 << 14
"""Below this many values runs are moved item by item."""

RUN_LENGTH = 4
"""Shorter runs and rows, on average, are moved item by item: 10M values in rows of ten take 14 ms as runs, and 36 as items."""

SLICED_RUNS = 64
"""Up to this many runs of a block are copied slice by slice, in 0.3 us each; Arrow's take has 20 us of calls and copies twice."""

MOVED_FLAGS = 3
"""Rows of one such length have their nulls moved as bytes: those of 1M items in rows of three in 0.6 ms, as bits in 1.1."""

MOVED_LENGTH = 128
"""Runs of words between gaps, of a greater mean length, are moved by memcpy: 1M float64 in runs of 300 take 0.8 ms, not 1.0."""

REPEAT_LENGTH = 3
"""From this mean length on parents are made by np.repeat: 1M values in rows of ten take 1.5 ms, and 3.4 by counting."""

WINDOW_WIDTH = 64
"""Cells of the widest window; wider windows read more beyond the end of short rows than they save."""

WINDOW_WASTE = 3
"""Windows may write this many times as many cells as there are values: 5M positions in rows of ten take 5 ms, and 10 by a sum."""

SPARSE_PLACES = 32
"""Fewer places than one in this many are sorted to see whether they repeat; more are marked: 5M take 15 ms, and a sort 300."""

REPEAT_COLUMNS, FEW_COLUMNS = 4, 8
"""Up to this many copies of each item, or items per row, numpy works column by column; two arrays are added below the second."""

REPEATED_AT_ONCE, TILE_VALUES = 1 << 15, 1 << 9
"""A shorter result is repeated by one call of numpy; for a longer one, short tiles are first repeated to the second length."""

BIT_TABLE_COLUMNS = 64
"""Bits that are repeated more often are spread; up to here a table tells what each byte becomes."""

SET_COMPARED, EDGES_COMPARED = 8, 32
"""Up to this many numbers or edges are compared with items one by one: three with 5M int64 take 5 ms, by a table 12, hashes 50."""

SET_TABLE = 1 << 16
"""A set of integers in a narrower range is looked up in a table that stays in cache."""

CHOICE_VALUES = 1 << 14
"""From here on if_else selects by masks in blocks: 5M values with random flags take 8 ms, and 20 by pyarrow or numpy."""

UTF8_POLARS_BYTES = 1 << 17
"""From here on polars, if loaded, validates UTF-8, at 15 GB/s; a compiled loop does 11, Arrow 1.5 to 4; a call costs 30 us."""

TEXT_WORDS, FEW_TEXTS, FEW_TEXTS_BYTES, TAKEN_TEXTS = 4, 128, 1 << 13, 1 << 9
"""Words of eight bytes that sort texts; texts, and their bytes, for Python's str; texts that two loops take faster than Arrow."""

TEXT_VALUES = 1 << 14
"""From here on text is divided among cores: upper case of 16,000 texts of 7 bytes takes 0.5 ms, and a call of a thread 0.03."""

REGEX_POLARS_VALUES = 1 << 12
"""From here on polars, if loaded, searches regular expressions: a text of 7 bytes takes 35 ns, by Arrow 55, and a call 60 us."""

UTF8_LOAD_BYTES = 1 << 29
"""From here on polars is worth loading for it, if it is installed: loading takes 0.1 s and saves 0.15 to 0.3 s."""

UTF8_PIECE = 1 << 30
"""Bytes that are validated at once: polars counts those of one value in 32 bits."""

ARITHMETIC_VALUES = 1 << 19
"""From here on arithmetic is computed in blocks on all cores; for fewer values, one call of pyarrow is as fast."""

DIVISION_BYTES = 1 << 20
"""Bytes per block of floor_divide and remainder, which have several temporaries."""

JIT_VALUES = 1 << 20
"""From here on stretches of recorded calls run in blocks of rows."""

JIT_BLOCK = 1 << 18
"""Values per block of a stretch of recorded calls: each call on a block costs 40 us, as much as the work on 50k values."""

JIT_CALLS = 6
"""Fewest calls on items that are run in blocks: six operators on 2M float64 take 0.8 of the time of whole columns, and four 1.0."""

JIT_SHARE = 12
"""Calls on items needed per other call of a stretch: a sum of 12 takes 0.9 of the time of whole columns, of six 1.2."""

COMBINATION_ITEMS = 1 << 14
"""Up to this many items of choices, no table is made for each length of row, because its calls would cost more."""

WINDOW_FACTOR = 4
"""How many times as large blocks are where rows are copied as windows: with few long calls, threads seldom wait for the GIL."""

WIDEST_ITEM_BYTES = 128
"""Items wider than this are not copied as windows, which would copy too many items that are not needed."""

WINDOW_CELLS_PER_VALUE, WIDE_WINDOW_CELLS_PER_VALUE = 8, 3
"""Dense cells per value, of at most 8 bytes or wider, up to which rows are copied as windows: 10M float32 in 18 ms, not 44."""

CUT_LENGTH = 64
"""Rows of a greater mean length are cut before their nulls are filled for `to_dense`: 20 of 1,000 float64 in 0.17 ms, not 0.44."""

DENSE_IN_PLACE_VALUES = 1 << 19
"""Numbers per block of a ufunc that writes into its dense operand."""

SOFTMAX_BLOCK = 1 << 21
"""Items per block of a flat softmax: one call of polars for its sums costs as much as the sums of a few thousand rows."""

COLUMN_ROWS = 1 << 14
"""Rows whose columns are written together: their starts and sizes stay in the second-level cache."""

COLUMN_MIN_ROWS = 256
"""Columns with fewer rows per block are sorted: starting a column costs more than writing it."""

LARGE_FRAME = 1 << 16
"""A frame of two dims with more items is transposed column by column: 10M items in 1M rows take 70 ms, and 570 by coordinates."""

COUNTED_BITS = 12
"""Largest number of bits for which pyarrow's counting sort is used: 10M values of 5 bits take 27 ms, 90 by numpy's radix sort."""

# ------------------------------------------------------------ above the kernels: polars' expressions, Python functions, dims

EXPRESSION_VALUES = 2_000_000
"""Below this many values a list expression of polars runs in one piece: it takes 2 ms, and the streaming engine uses all cores."""

EXPRESSION_BLOCK = 1_250_000
"""Values per block of a list expression: a call costs 50 us; larger blocks might wait for a core that others use."""

EXPRESSION_FLAGS = 1 << 18
"""Flags that are written before they are packed, so that they stay in cache."""

EXPRESSION_PARTS = 4
"""Parts of a comparison that threads share."""

STRETCH_ROWS = 1000
"""Fewest rows for which a tree of calls is divided into stretches: a smaller batch is computed call by call."""

INTERPRETED_ROWS, INTERPRETED_ITEMS, SPREAD_ROWS = 50, 500, 50
"""Rows on which a compiled function is compared with Python: the first ones, or as many as hold these items, and others."""

FUNCTION_PART, SEEN_VALUES, NOTED_VALUES, COMPILED_CALLS, COMPILED_ITEMS = 10_000, 1 << 17, 1 << 15, 100_000, 10_000_000
"""Fewest rows or items per task; items looked at together, by numpy and by loops; fewest calls, or items, to compile a function."""

REPLACED_VALUES = 8
"""Largest number of values that are compared with the items one by one: each takes 4 ms for 5M int64, and hashing all takes 90."""

COMPARED_ROWS, CUT_ROWS = 1 << 13, 64
"""Two dims with fewer rows are compared row by row: 4 us, some offsets ahead 7. Most rows whose offsets patterns give singly."""

DIM_BLOCK = 1 << 18
"""Rows whose sizes are written out at a time when a dim is walked."""

STEP_ROWS = 1 << 16
"""Offsets per block of the test whether all rows have one size: blocks stay in cache."""

JOINED_RUNS = 1 << 12
"""Runs that a slice writes out, or `cat` joins into new ones; more are chained, so that appending stays cheap."""
