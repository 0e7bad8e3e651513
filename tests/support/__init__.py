"""Helpers for the tests: compiling native programs, running them on PoCL and under Oclgrind, golden files."""
