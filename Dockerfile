# An image for a public page on a machine without a GPU; docs/deploy.md says how it is built, run and tried.
FROM python:3.12-slim AS build
# The folder of wheels of torch and torchvision for CPUs, as pip's --index-url takes it. It has no default: name the one you trust.
ARG TORCH_INDEX
RUN test -n "$TORCH_INDEX" || { echo "say --build-arg TORCH_INDEX=URL: an index with CPU wheels of torch" >&2; exit 1; }
RUN python -m venv /venv
RUN /venv/bin/pip install --no-cache-dir --index-url "$TORCH_INDEX" torch torchvision
COPY . /src
RUN /venv/bin/pip install --no-cache-dir "/src[methods]"
RUN /venv/bin/python /src/deploy/size.py

FROM python:3.12-slim
COPY --from=build /venv /venv
# Whatever is written goes below /tmp (a tmpfs), but for weights that are fetched, which go to /weights (a volume).
RUN useradd --uid 10001 --no-create-home --home-dir /tmp/home --shell /usr/sbin/nologin vizapp && mkdir /weights && chown vizapp /weights
ENV PATH=/venv/bin:$PATH HOME=/tmp/home HF_HOME=/weights TORCH_HOME=/weights/torch XDG_CACHE_HOME=/weights/cache MPLCONFIGDIR=/tmp/matplotlib PYTHONDONTWRITEBYTECODE=1
USER vizapp
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:7860/health', timeout=5)"]
CMD ["vizapp", "serve", "--public", "--no-browser", "--host", "0.0.0.0", "--port", "7860"]
