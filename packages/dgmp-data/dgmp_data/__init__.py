"""The data of the describer ``default`` of dgmp, in the folder ``default``; no code."""
