"""Reviews that move while reviewing runs: late submissions join, missing reviewers' lists go to others."""
