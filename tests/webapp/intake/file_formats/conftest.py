"""What the tests of file formats share."""

import pytest


@pytest.fixture
def file(tmp_path):
    """Write bytes, or text as UTF-8, under a name; returns (path, name)."""

    def write(content, name):
        path = tmp_path / "stored"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path, name

    return write
