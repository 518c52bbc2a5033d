# SPDX-License-Identifier: BSD-2-Clause
"""The page: its files, and plotly.js of the package plotly."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response

from litemrc.serve.answers import Refusal

_PAGE = Path(__file__).with_name("page")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
_CHECK = {"Cache-Control": "no-cache"}  # with ETag: a new version of the package has a new page
_PLOTLY = "plotly.js"


def page_routes() -> APIRouter:
    """Return the routes of the page."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    def index() -> Response:
        return FileResponse(_PAGE / "index.html", media_type=_TYPES[".html"], headers=_CHECK)

    @routes.get("/docs")
    def docs() -> Response:
        return FileResponse(_PAGE / "docs.html", media_type=_TYPES[".html"], headers=_CHECK)

    @routes.get("/static/{file}")
    def static(file: str) -> Response:
        path = page_files().get(file)
        if path is None:
            raise Refusal(404, "the page has no such file")
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=_CHECK)

    return routes


@cache
def page_files() -> dict[str, Path]:
    """Return the files that are served, by name: no path of a request reaches the file system."""
    page = {path.name: path for path in _PAGE.iterdir() if path.suffix in _TYPES}
    return page | {_PLOTLY: Path(str(files("plotly") / "package_data" / "plotly.min.js"))}
