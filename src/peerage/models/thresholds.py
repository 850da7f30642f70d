"""Every size at which a fit takes another way, and why: all ways give the same result but for rounding.

Read them as ``thresholds.NAME`` when they are needed, so that a test can change one for everybody.
"""

from peerage.feedback.partition import PARTS, SMALL

# -- how the work is shared out: sums are added up in the order of the cut, so it may depend on the data only
ONE_PART = SMALL  # reviews up to which feedback is one part: a thread costs more to start than it saves
RUNS = PARTS  # parts, or blocks, of what is larger: enough to share out, few enough to add up
SCORE_RUNS = 4  # the same for reported scores: a pass does little per review, and every run sums by item

# -- Newton's method
DENSE_ITEMS = 150  # up to here a factorised Hessian is faster than conjugate gradients
DENSE_CELLS = 2_000_000  # items times graders: the matrix of mixed derivatives that goes with it

# -- equal lists are counted in place of being repeated
MERGED_LISTS = 20_000  # lists below which a fit takes no time anyway
MERGED_KEYS = 4_000_000  # possible lists up to which counting them beats sorting

# -- learned variances of reported scores
EXACT_TRACES = 400  # items up to which the traces of the mixed-model equations are exact; sampled beyond
ROUGH_VARIANCES = 20_000  # items from which variances begin at their moments, and take few Newton steps each

# -- orders and scores at once
EXACT_DETERMINANT = 1_000  # items up to which the log determinant is exact; by the diagonal beyond

# -- scores without one grader
LEAVE_OUT_ITEMS = 1_000  # items up to which the covariance is a matrix
LEAVE_OUT_CELLS = 20_000_000  # cells of all graders' own matrices: what fits in memory
LEAVE_OUT_STEPS = 2e9  # multiplications of their solutions: what takes a second or two

# -- clusters
MOST_SENT = 20_000_000  # reviews in this memory that are sent to workers; more should be packed
