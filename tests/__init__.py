"""Tests, the golden runner, the case runner and the benchmarks."""
