"""The tools of `fewtaps mcp`, which coding agents call over the Model Context Protocol."""
