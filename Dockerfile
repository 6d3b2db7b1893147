# One image for the web server, the workers and the commands. It runs the README's manage.py on an environment that is
# installed here, from the same lock.
FROM python:3.11-slim AS packages
WORKDIR /opt/topograph
COPY requirements/ requirements/
# Whether trainings are shared by a cluster: its address, as in TOPOGRAPH_CLUSTER, or nothing.
ARG CLUSTER=
# Whether sealed files go to a store, as in TOPOGRAPH_STORE, or nothing.
ARG STORE=
RUN python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.lock \
    && if [ -n "$CLUSTER" ]; then /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements/cluster.lock; fi \
    && if [ -n "$STORE" ]; then /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements/s3.lock; fi

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home topograph && mkdir /data && chown topograph /data
COPY --from=packages /opt/venv /opt/venv
WORKDIR /opt/topograph
COPY . .
ENV PATH=/opt/venv/bin:$PATH \
    TOPOGRAPH_ENVIRONMENT=current \
    TOPOGRAPH_DATA=/data \
    TOPOGRAPH_KERNELS=/data/kernels \
    PYTHONUNBUFFERED=1
# Nothing of the image is written when it runs (docker-compose.yml mounts it for reading alone): Python's own files are compiled
# here, and the engine for x86-64-v3 or 64-bit ARM, as in a wheel. On another processor it is compiled once, into the volume.
RUN python3 -m compileall -q . \
    && TOPOGRAPH_KERNELS=/tmp/kernels python3 -m inference.shipping && rm -rf /tmp/kernels
USER topograph
VOLUME /data
EXPOSE 8000
CMD ["python3", "manage.py", "help"]
