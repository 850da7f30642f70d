import pytest


@pytest.fixture
def put(tmp_path):
    """Writes a text file into the folder of the test; its path."""

    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
