import os

import pytest

from webapp.local import postgres


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs a user namespace")
def test_root_without_user_namespaces_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TOPOGRAPH_DATA", str(tmp_path))
    monkeypatch.setattr(postgres, "CLONE_NEWUSER", -1)  # flags that the kernel refuses
    with pytest.raises(postgres.Failed, match="ordinary user, or set DATABASE_URL"):
        postgres.Postgres().part()
    assert not (tmp_path / "postgres").exists()
