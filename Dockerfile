# The image of web, worker and scheduler; which of them a container is, its command says.
# BASE_IMAGE is any Linux with the Python that made requirements-runtime.lock, its venv module, and useradd.
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS build
WORKDIR /app
COPY requirements-runtime.lock ./
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --no-input \
        --require-hashes --no-deps -r requirements-runtime.lock \
    && .venv/bin/python -m pip uninstall --quiet --yes pip
COPY locale locale
RUN .venv/bin/python -m babel.messages.frontend --quiet compile --domain django --directory locale

FROM ${BASE_IMAGE}
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin decodeck \
    && mkdir -p /app /data && chown decodeck /data
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY --from=build /app/locale locale
COPY manage.py LICENSE NOTICE ./
COPY scripts scripts
COPY config config
COPY agent agent
COPY access access
COPY planner planner
COPY fleet fleet
COPY ops ops
COPY templates templates
COPY static static
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DECODECK_VAR=/data \
    HOST=0.0.0.0 \
    PORT=8000
USER 10001
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "-m", "scripts.parts"]
CMD ["web"]
