"""The API, /api/v1/: what pages offer, as JSON, for programs. docs/api.md; its schema is at
/api/v1/openapi.json.

Thin: each answer is a query's, in the shape that webapp.service.api.shapes promises.
"""

from webapp.service.api.service import api

__all__ = ["api"]
