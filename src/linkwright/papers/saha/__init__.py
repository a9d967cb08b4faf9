"""Saha (1999): serial arms by the DeNOC and its U D U^T elimination."""
