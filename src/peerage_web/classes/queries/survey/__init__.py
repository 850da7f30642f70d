"""What is known of a survey: to students their own answers; to staff all, once they are nobody's."""
