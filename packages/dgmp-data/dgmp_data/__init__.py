"""What the describer and the word model ``default`` of dgmp have learned; no code."""
