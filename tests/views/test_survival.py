"""The survival table, computed, in its renderings."""

import xml.etree.ElementTree as ET

import skyl_nb as skyl


def test_the_rows_are_the_measured_fates():
    rows = skyl.survival_table().rows
    assert rows == [
        ("Anthropic", "✓ intact", "/messages/2/content/0/is_error", "✓ intact"),
        ("OpenAI", "≈ prefixed", "/messages/2/content", "✗ dropped"),
        ("OpenAI-compatible", "≈ prefixed", "/messages/2/content", "✗ dropped"),
        ("Gemini", "✗ dropped", "nowhere", "✗ dropped"),
    ]


def test_an_encoder_that_changes_changes_the_table(monkeypatch):
    monkeypatch.setattr("skyl_nb.wires.openai.ERROR_PREFIX", "")
    assert skyl.survival_table().rows[1][1] == "✗ dropped"


def test_the_renderings_hold_the_same_cells():
    table = skyl.survival_table()
    cells = [cell for row in table.rows for cell in row]
    root = ET.fromstring(table.to_html())
    assert [cell.text for cell in root.iter("td")] == cells
    text = table.to_text()
    markdown = table.to_markdown().replace("\\_", "_")
    for cell in cells:
        assert cell in text
        assert cell in markdown
