"""Khan, Krovi, Saha and Angeles (2005): annihilators of passive twists, modular dynamics of parallel manipulators."""
