"""Results of a run: frozen records with names and units that can be saved, opened again and drawn."""
