"""HEAD: the headers of GET without its body. Views accept it (require_safe); the two exceptions are
here.

The operations of the API know GET alone, so that their schema does not list HEAD. A streamed
answer, such as events or a download of millions of rows, is not produced for a client that wants no
body.
"""

from django.http import HttpRequest, HttpResponse


async def respond(request: HttpRequest, get_response) -> HttpResponse:
    """The response to a request of any method."""
    if request.method != "HEAD":
        return await get_response(request)
    if request.path.startswith("/api/v1/"):
        request.method = "GET"
    try:
        response = await get_response(request)
    finally:
        request.method = "HEAD"
    if not response.streaming:
        return response  # the web server leaves the body out
    bare = HttpResponse(status=response.status_code, headers=response.headers)
    bare.cookies = response.cookies
    # Close its open files; response.close() would also end the request, which goes on.
    for close in response._resource_closers:
        close()
    return bare
