"""The service under attack and on a bad day, measured: python -m benchmarks.hostile --help"""
