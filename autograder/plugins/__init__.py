"""The plug-ins that nbgrader calls, as nbgrader_config.py names them."""
