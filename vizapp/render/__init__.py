"""Pictures: colours, overlays, figures. numpy and matplotlib; no torch, no page."""
