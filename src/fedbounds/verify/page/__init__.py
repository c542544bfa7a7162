"""What people read: tables, figures, sentences, the page of a run. Documents in, text out."""
