"""Exports of forms, surveys and learning platforms, each in a module of its own, made plain before reading.

A source knows the tables it wrote (`suits`) and takes away what only the system needs (`cleaned`): columns of
times and addresses, header rows, test students. What is left is one of the layouts. To add one, write a
module and enter it in `reading/formats.py`.
"""
