"""Everything that closing a loop adds to a tree; any scalar."""
