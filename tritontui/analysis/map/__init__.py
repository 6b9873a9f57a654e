"""What the access map asks of a trace: cells of a viewport, overlays, one lane."""
