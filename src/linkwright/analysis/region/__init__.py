"""Regions of poses that a mechanism can take: workspaces on grids, their boundary, volume and quality."""
