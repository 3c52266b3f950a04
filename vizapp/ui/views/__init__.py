"""Tabs of the page beside the microscope, one per file."""

from vizapp.ui.views import methods

__all__ = ["methods"]
