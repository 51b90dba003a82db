"""The plug-ins that nbgrader calls: each named in nbgrader_config.py."""
