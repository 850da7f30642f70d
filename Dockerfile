# The web service. See docs/reference/settings.md for the settings.
FROM python:3.11-slim

COPY requirements/hashed/core.txt requirements/hashed/web.txt /build/requirements/
RUN pip install --no-cache-dir --require-hashes --requirement /build/requirements/web.txt
COPY pyproject.toml hatch_build.py README.md LICENSE /build/
COPY src /build/src
# Kernels are compiled now, beside the code: nobody waits for that later, and nothing has to be written then. An
# image keeps whole seconds of a file's time, and compiled code is good for files of the same time.
RUN pip install --no-cache-dir --no-deps /build \
    && packages="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
    && find "$packages/peerage" "$packages/peerage_web" -name '*.py' -exec touch --date=@1700000000 {} + \
    && python -m compileall -q -f "$packages/peerage" "$packages/peerage_web" \
    && python -m peerage_web.sandbox.compile \
    && useradd --system --create-home peerage \
    && install --directory --owner peerage --mode 0700 /data

USER peerage
ENV PEERAGE_DATA=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s --interval=30s CMD ["python", "-c", \
    "import urllib.request as ask; ask.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
CMD ["peerage", "serve", "--host", "0.0.0.0"]
