"""Rahmani Hanzaki and Yoosefi (2011): loops cut at spherical joints, Euler parameters."""
