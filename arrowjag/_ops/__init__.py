"""Operations: functions from columns to a column, below the class that users meet.

Inside the folder imports point one way: structure, then indexing and select, then elementwise, then reduce, scan, order
and sets, then composed and dense.
"""
