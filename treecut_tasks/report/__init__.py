"""Reports: the paper's tables, figures and claims from logs of either framework.

    paths ──▶ sources ──▶ evidence ──▶ sections (tables, figures, text) ──▶ Markdown ──▶ terminal, HTML
                                                                       └──▶ CSV, JSON, LaTeX

`sources.read_evidence` makes one table of judged responses from logs, `sections.make_document` everything
that is shown, `rendering` the formats. The libraries behind it are in the extra `[report]`; nothing is
imported here, so that what is missing can be said first.
"""

LIBRARIES = ("jinja2", "markdown_it", "matplotlib", "pandas", "rich", "scipy", "statsmodels")
"""The modules of the extra `[report]`."""
