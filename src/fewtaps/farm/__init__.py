"""Farms: jobs of a run on the devices of many machines.

Dask distributed carries the messages. Only this room imports it, and only when a farm is used.
"""
