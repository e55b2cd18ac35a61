from collections.abc import Iterator

import pytest

from tests.models.desk import EndpointDesk, endpoint_desk


@pytest.fixture
def desk() -> Iterator[EndpointDesk]:
    with endpoint_desk() as opened:
        yield opened
