"""Turns the first cell of each row into a header in tables without a header for that column, for screen readers."""

import re

TABLE = re.compile(r"(<thead>\s*<tr>\s*<th[^>]*></th>.*?</thead>\s*<tbody>)(.*?)(</tbody>)", re.DOTALL)
FIRST_CELL = re.compile(r"(<tr>\s*)<td([^>]*)>(.*?)</td>", re.DOTALL)


def on_page_content(html, **_):
    def with_headers(table):
        rows = FIRST_CELL.sub(r'\1<th scope="row"\2>\3</th>', table[2])
        return table[1] + rows + table[3]

    return TABLE.sub(with_headers, html)
