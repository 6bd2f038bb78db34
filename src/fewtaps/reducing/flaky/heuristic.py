"""The paper's heuristic: confirm what looks good, then discard what looks bad (section 4.2, figure 3)."""
