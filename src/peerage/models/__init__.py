"""Every method of estimating scores and reliabilities; in rooms by what their mathematics shares."""
