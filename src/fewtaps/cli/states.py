"""`fewtaps states`: the states that were seen, and the transitions between them."""

from __future__ import annotations

from pathlib import Path

from fewtaps.cli.terminal import Terminal, counted
from fewtaps.model.event import printable
from fewtaps.pipeline.findings import DrawnGraph, read_states, write_states


def run_states(folder: Path, svg: Path | None, graphml: Path | None, as_json: bool) -> None:
    """Prints the states and writes the requested files."""
    terminal = Terminal(as_json)
    graph = read_states(folder)
    write_states(graph, to_svg=svg, to_graphml=graphml)
    _print(terminal, graph)
    for path in (svg, graphml):
        if path is not None:
            terminal.line(f"written to {printable(str(path), 200)}")
    terminal.document(
        {
            "states": [
                {
                    "id": node.state,
                    "activity": node.activity,
                    "title": node.title,
                    "visits": node.visits,
                    "crashes": len(node.crashes),
                    "picture": node.picture,
                }
                for node in graph.nodes
            ],
            "transitions": [
                {"source": edge.source, "target": edge.target, "count": edge.count, "event": edge.label}
                for edge in graph.edges
            ],
        }
    )


def _print(terminal: Terminal, graph: DrawnGraph) -> None:
    ways: dict[str, int] = {}
    for edge in graph.edges:
        if edge.source != edge.target:
            ways[edge.source] = ways.get(edge.source, 0) + 1
    for number, node in enumerate(graph.nodes, 1):
        activity = printable(node.activity.rpartition(".")[2], 40) or "(no activity)"
        crashed = (f"  {len(node.crashes)} crashing", "bad") if node.crashes else ""
        terminal.line(
            f"{number:4}  ", (activity, "bold"), f"  {printable(node.title, 60)}",
            (f"  {counted(node.visits, 'visit')}, {counted(ways.get(node.state, 0), 'way')} on", "dim"), crashed,
        )  # fmt: skip
    terminal.line(f"{counted(len(graph.nodes), 'state')}, {counted(len(graph.edges), 'transition')}")
