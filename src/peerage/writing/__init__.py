"""Writing feedback: long CSV and TSV, Parquet, PGF and PrefLib; and tables for spreadsheets."""
