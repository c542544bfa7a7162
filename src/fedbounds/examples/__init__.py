"""Theorems of the literature, each in a file as a user would write it.

``fedbounds examples`` lists them, ``fedbounds verify example:scaffnew`` judges one.
"""
