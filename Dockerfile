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
    TOPOGRAPH_KERNELS=/home/topograph/.cache/topograph/kernels \
    PYTHONUNBUFFERED=1
USER topograph
# The engine is compiled once, here, for this kind of processor; on another kind it is compiled again.
RUN python3 -c "from inference.runtime import compiling; compiling.warm_up()"
VOLUME /data
EXPOSE 8000
CMD ["python3", "manage.py", "help"]
