project = "nearfind"
extensions = ["myst_parser", "nearfind.sphinx"]
nearfind_arguments = ["--ship-model"]
myst_heading_anchors = 4
suppress_warnings = ["myst"]
html_theme = "alabaster"
