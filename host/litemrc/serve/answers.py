"""Answers of the API: JSON, and errors with what is wrong and what to do."""

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from litemrc.serve.windows import encoded


class ReaderLeftError(Exception):
    """Nobody waits for the answer any more."""


class Refusal(HTTPException):
    """A request that cannot be answered: `status`, what is wrong, what to do."""

    def __init__(
        self, status: int, what: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, what, dict(headers) if headers else None)
        self.remedy = remedy


def json_answer(record: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a record as JSON."""
    return Response(encoded(record), status, dict(headers or {}), media_type="application/json")


def add_error_answers(app: FastAPI) -> None:
    """Answer errors by `error` and `remedy`; nothing of the program is shown."""

    @app.exception_handler(HTTPException)
    async def refuse(_: Request, error: HTTPException) -> Response:
        remedy, headers = getattr(error, "remedy", ""), dict(error.headers or {})
        if error.status_code == 413 and not remedy:  # of a body: its rest is not read
            remedy, headers["Connection"] = "send less", "close"
        return json_answer({"error": error.detail, "remedy": remedy}, error.status_code, headers)

    @app.exception_handler(RequestValidationError)
    async def refuse_value(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        what = f"{place}: {first['msg']}"
        return json_answer({"error": what, "remedy": "see /openapi.json"}, 422)

    @app.exception_handler(ReaderLeftError)
    async def nobody(_: Request, __: ReaderLeftError) -> Response:
        return Response(status_code=499)  # it goes nowhere

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Response:
        logging.getLogger("litemrc.serve").error("%s: %r", request.scope["path"], error)
        remedy = "report this as a bug, with the server's output"
        return json_answer({"error": "the server failed", "remedy": remedy}, 500)
