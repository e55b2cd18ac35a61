"""Reading and writing the files of other programs: pure values in and out, no database of ours."""
