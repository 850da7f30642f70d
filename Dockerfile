# The web service. See docs/running-the-service.md for the settings.
FROM python:3.11-slim

COPY requirements/core.txt requirements/web.txt /build/requirements/
RUN pip install --no-cache-dir --requirement /build/requirements/web.txt
COPY pyproject.toml README.md LICENSE /build/
COPY src /build/src
RUN pip install --no-cache-dir --no-deps /build \
    && useradd --system --create-home peerage \
    && install --directory --owner peerage --mode 0700 /data

USER peerage
ENV PEERAGE_DATA=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s --interval=30s CMD ["python", "-c", \
    "import urllib.request as ask; ask.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
CMD ["peerage", "serve", "--host", "0.0.0.0"]
