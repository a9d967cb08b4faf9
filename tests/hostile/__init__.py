"""Hostile files, calls, saved runs and requests: each ends in a result or in a message, in bounded time and memory."""
