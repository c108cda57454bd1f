"""The configuration of a client, from arguments or from the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from ._errors import ConfigurationError

_BASE = re.compile(r"https?://[^/?#\s@]+(/[^?#\s]*)?", re.IGNORECASE)
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Config:
    """Where the service is, and who asks. The key is not part of its `repr`."""

    url: str
    api_key: str = field(repr=False)
    project: str | None

    @property
    def project_id(self) -> str:
        """The project to submit to. Errors: `ConfigurationError` where none is configured."""
        if self.project is None:
            raise ConfigurationError("No project: set COUNTERSIGN_PROJECT_ID, or pass project_id, to submit items.")
        return self.project


def configure(url: str | None, api_key: str | None, project_id: str | None) -> Config:
    """Takes what is None from the environment. Errors: `ConfigurationError`."""
    url = _given(url, "COUNTERSIGN_URL")
    api_key = _given(api_key, "COUNTERSIGN_API_KEY")
    if url is None:
        raise ConfigurationError("No address: set COUNTERSIGN_URL, or pass url, such as https://review.example.org.")
    base = url.rstrip("/")
    if not _BASE.fullmatch(base):
        raise ConfigurationError(
            "The address (COUNTERSIGN_URL or url) must be an HTTP URL such as https://review.example.org."
        )
    if api_key is None:
        raise ConfigurationError(
            "No API key: set COUNTERSIGN_API_KEY, or pass api_key; owners create one on the page of their project."
        )
    if not _KEY.fullmatch(api_key):
        # The key itself stays out of the message.
        raise ConfigurationError(
            "The API key (COUNTERSIGN_API_KEY or api_key) must consist of printable ASCII characters without spaces."
        )
    return Config(base, api_key, _given(project_id, "COUNTERSIGN_PROJECT_ID"))


def _given(value: str | None, variable: str) -> str | None:
    text = os.environ.get(variable) if value is None else value
    text = None if text is None else text.strip()
    return text or None
