"""Packages of whole libraries (.mcz), and the plain files that people and other programs can edit."""
