"""One SQLite file per project, pictures beside it: values of the model go in, and the same values come out."""
