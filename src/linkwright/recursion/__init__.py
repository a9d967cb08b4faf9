"""DeNOC recursions on a tree; any scalar goes through them."""
