"""Operations: functions from columns to a column. `JaggedArray` is built on them.

Each module imports only from earlier ones: structure; indexing and select; elementwise; reduce, scan, order and sets;
composed and dense. import-linter checks this.
"""
