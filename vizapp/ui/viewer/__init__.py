"""The viewer: its state and panels, its resources (resources.py), and the Gradio component that shows it (component.py)."""
