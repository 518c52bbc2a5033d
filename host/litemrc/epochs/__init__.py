"""The epoch table: hit counters of every epoch and context, its Parquet file, and who the contexts were."""
