#!/usr/bin/env python3
"""Prints what a query of a SQLite database gives, as its own shell does. usage: ask_database.py FILE SQL"""
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
for row in database.execute(sys.argv[2]):
    print("|".join("" if value is None else str(value) for value in row))
database.commit()
