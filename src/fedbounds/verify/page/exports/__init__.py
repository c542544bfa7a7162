"""What leaves the suite: tables in every format, LaTeX, BibTeX, figures, and differences."""
