"""Pages of a course: they stand under the table of permissions as all pages of classes do."""
