"""What is sent compressed where a client takes that, and not at all where it has it already."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from types import MappingProxyType

import attrs
from starlette.requests import Request
from starlette.responses import Response

PLAIN_TAG, GZIP_TAG = '"{}"', '"{}-gzip"'


@attrs.frozen
class Packed:
    """A file or a page as it is sent."""

    octets: bytes
    gzipped: bytes | None
    """The same compressed; None if that is not shorter."""
    digest: str
    media_type: str


def packed_page(octets: bytes, media_type: str) -> Packed:
    """A page, packed and ready to be sent."""
    gzipped = gzip.compress(octets, mtime=0)
    digest = hashlib.sha256(octets).hexdigest()[:32]
    return Packed(octets, gzipped if len(gzipped) < len(octets) else None, digest, media_type)


def packed_answer(request: Request, page: Packed, more: Mapping[str, str] = MappingProxyType({})) -> Response:
    """The answer to a request for it, with `more` headers; without a body where the client has it already."""
    is_gzipped = page.gzipped is not None and _takes_gzip(request.headers.get("accept-encoding", ""))
    tag = (GZIP_TAG if is_gzipped else PLAIN_TAG).format(page.digest)
    headers = {"cache-control": "no-cache", "etag": tag, "vary": "Accept-Encoding", **more}
    if _is_known(page, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    if is_gzipped:
        headers["content-encoding"] = "gzip"
    body = page.gzipped if is_gzipped else page.octets
    return Response(body, media_type=page.media_type, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding names gzip, and does not give it the weight 0."""
    for each in accepted.lower().split(","):
        coding, _, weight = each.partition(";")
        if coding.strip() in ("gzip", "*"):
            return weight.replace(" ", "").rstrip("0") not in ("q=", "q=0.")
    return False


def _is_known(page: Packed, tags: str) -> bool:
    """Whether an If-None-Match names it, packed or not."""
    known = {each.strip().removeprefix("W/") for each in tags.split(",")}
    return not known.isdisjoint(("*", PLAIN_TAG.format(page.digest), GZIP_TAG.format(page.digest)))
