"""HEAD: what GET would say, without its body. Views take it (require_safe); here is what else there is to it.

The operations of the API know GET alone, and would list HEAD in their schema if they knew it. An answer that is made while it is sent, a stream of
events or a file of millions of rows, is not made for nobody.
"""

from django.http import HttpRequest, HttpResponse


async def answered(request: HttpRequest, get_response) -> HttpResponse:
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
    for (
        close
    ) in response._resource_closers:  # files that are open; response.close() would also end the request, which goes on
        close()
    return bare
