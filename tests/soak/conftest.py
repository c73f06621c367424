"""How long the tests of this folder are: short in `make check`, long in `make soak` (IOLAT_SOAK=1)."""
import os

import pytest


class Soak:
    on = os.environ.get("IOLAT_SOAK") == "1"

    def __call__(self, short, long):
        return long if self.on else short


@pytest.fixture
def soak():
    return Soak()
