// Starts Swagger UI on the page that the server wrote; requests made from it carry the CSRF secret of the cookie.
const place = document.getElementById("docs");
const secret = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  requestInterceptor: (request) => {
    if (!["GET", "HEAD"].includes((request.method ?? "GET").toUpperCase())) request.headers["X-CSRFToken"] = secret();
    return request;
  },
});
