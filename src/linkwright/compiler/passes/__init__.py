"""Programs in, programs or facts about them out: derivatives, division, fusion, order, counts."""
