"""Reports: the paper's tables, figures and claims from logs of either framework.

    logs ──▶ evidence ──▶ sections (tables, figures, text) ──▶ Markdown ──▶ terminal, HTML
                                                          └──▶ CSV, JSON, LaTeX

`evidence.read_evidence` makes one table of judged responses from logs, `sections.make_document` everything
that is shown, `rendering` the formats. The libraries behind it are in the extra `[report]`; nothing is
imported here, so that what is missing can be said first.
"""

LIBRARIES = ("jinja2", "markdown_it", "matplotlib", "pandas", "rich", "scipy")
"""The modules of the extra `[report]`."""

FORMATS = ("terminal", "markdown", "html", "csv", "json", "latex", "every-eval-ever")
"""The formats of a report."""

ON_STANDARD_OUTPUT = ("terminal", "markdown", "json", "latex")
"""Those that are one text."""
