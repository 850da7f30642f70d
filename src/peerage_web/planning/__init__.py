"""Before the term: which methods there are, who reviews what, how many reviews per student."""
