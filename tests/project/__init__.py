"""Tests of the project itself: licences, lock file, texts."""
