# The web service. See docs/reference/settings.md for the settings.
FROM python:3.11-slim AS wheel
WORKDIR /build
COPY requirements/hashed /build/requirements
RUN pip install --no-cache-dir --require-hashes --requirement requirements/docs.txt
COPY pyproject.toml hatch_build.py README.md LICENSE /build/
COPY src /build/src
COPY docs /build/docs
# The manual first: the wheel takes it along, and the service shows it as Help.
RUN pip install --no-deps --no-build-isolation . \
    && python -m sphinx -W -q docs build/docs \
    && pip wheel --no-deps --no-build-isolation --wheel-dir dist .

FROM python:3.11-slim
COPY requirements/hashed/core.txt requirements/hashed/web.txt /requirements/
RUN pip install --no-cache-dir --require-hashes --requirement /requirements/web.txt
COPY --from=wheel /build/dist /dist
# Kernels are compiled now, beside the code: nobody waits for that later, and nothing has to be written then. An
# image keeps whole seconds of a file's time, and compiled code is good for files of the same time.
RUN pip install --no-cache-dir --no-deps /dist/*.whl \
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
