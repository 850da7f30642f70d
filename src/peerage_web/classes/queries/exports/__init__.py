"""What is exported: grades as students see them, and what in a data set could tell who somebody is."""
