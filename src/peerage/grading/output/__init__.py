"""What is written out: the record, the files, the grade books."""
