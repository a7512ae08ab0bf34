"""Compute a recorded tree on arrays: stretches in blocks of rows, all other calls one by one."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from arrowjag._expressions.blocks import run_blocks
from arrowjag._expressions.stages import Stage, calls_of, run_calls, stages, unused
from arrowjag._expressions.tree import Call, Node, sample_of
from arrowjag.errors import JagError

__all__ = ["Program"]


class Program:
    """Trees with common inputs, divided into stages.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    samples : mapping
        For each node, by its id, an empty array of its type, or a scalar; nodes may be missing.
    recorded : sequence of Call, optional
        All calls in the order in which they were recorded, which decides the error that is raised if several calls fail.
    inputs : collection of int
        The ids of calls whose values are given, as those of inputs are.
    """

    def __init__(
        self, roots: Sequence[Node], samples: Mapping[int, Any], recorded: Sequence[Call] = (), inputs: Collection[int] = ()
    ) -> None:
        self.roots = tuple(roots)
        self.recorded = tuple(recorded)
        self.stages: list[Stage] = stages(self.roots, samples, inputs)
        self._drops = unused([(stage.gives, stage.reads) for stage in self.stages], self.roots)

    @classmethod
    def of(cls, roots: Sequence[Node], samples: Mapping[int, Any]) -> Program:
        """Return the program of trees whose inputs have samples; those of calls are computed.

        Parameters
        ----------
        roots : sequence of Node
            The results.
        samples : mapping
            For each input, by the id of its node, an empty array of its type.
        """
        known = dict(samples)
        for node in calls_of(roots, known):
            with contextlib.suppress(KeyError, JagError):  # without sample values the call becomes a stage of its own
                known[id(node)] = sample_of(node, lambda child: known[id(child)])
        return cls(roots, known, inputs=samples)

    @property
    def has_stretch(self) -> bool:
        """Whether some calls run in blocks of rows."""
        return any(stage.is_stretch for stage in self.stages)

    def run(self, values: Mapping[int, Any]) -> list[Any]:
        """Compute the results.

        Parameters
        ----------
        values : mapping
            The value of each input, by the id of its node.
        """
        known = dict(values)
        with contextlib.suppress(JagError):
            self._run_stages(known)
            return [known[id(root)] for root in self.roots]
        # The error may name a row of a block, so that it must not appear beside the error that whole columns raise.
        known = dict(values)
        calls = self.recorded or [node for stage in self.stages for node in stage.calls]
        run_calls(calls, known, [()] * len(calls))
        return [known[id(root)] for root in self.roots]

    def _run_stages(self, known: dict[int, Any]) -> None:
        """Run all stages, and drop what no later one reads."""
        for stage, dropped in zip(self.stages, self._drops, strict=True):
            found = stage.loop.run(known) if stage.loop is not None else None
            if found is None and stage.is_stretch:
                found = run_blocks(stage, known)
            if found is None:
                run_calls(stage.calls, known, stage.drops)
            else:
                known.update(zip(map(id, stage.gives), found, strict=True))
            for one in dropped:
                del known[one]
