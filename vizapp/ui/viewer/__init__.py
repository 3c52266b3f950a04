"""The viewer: a state, panels, what it is given (given.py), and the Gradio component that shows it (component.py)."""
