project = "nearfind"
extensions = ["myst_parser"]
myst_heading_anchors = 4
suppress_warnings = ["myst"]
html_theme = "alabaster"
html_static_path = ["_static"]
html_js_files = [("nearfind/dist/define.js", {"type": "module"})]
# Ours takes the place of the theme's search box.
templates_path = ["_templates"]
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
