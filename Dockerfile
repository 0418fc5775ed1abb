# One image for web, worker, beat and migrate: docker-compose.yml says which command each one runs.

FROM python:3.12-slim AS packages
COPY requirements.lock /
# Hashes make the installation exact; wheels only, so that nothing is compiled or run while installing.
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
       -r /requirements.lock

FROM python:3.12-slim
# A fixed number, so that a volume made by one version of the image is readable by the next.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin desk \
    && install --directory --owner=desk --group=desk --mode=0700 /data
COPY --from=packages /venv /venv
WORKDIR /app
COPY . .
RUN /venv/bin/python -m compileall -q /app
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=provenance_site.settings \
    DESK_DATA=/data
USER desk
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "provenance_site.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4"]
