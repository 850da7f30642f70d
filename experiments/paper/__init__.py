"""The experiments of Raman & Joachims (KDD 2014), on simulated classes and on real data."""
