# The application alone: database and broker are services of their own, see docker-compose.yml.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 INQUEST_STATE_DIR=/state
WORKDIR /inquest
COPY requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --only-binary :all: --require-hashes --requirement requirements/runtime.txt
COPY . .
# Keys that all containers share lie in /state: a volume takes its owner from here.
RUN useradd --system --no-create-home inquest && install -d -o inquest -g inquest -m 700 /state
USER inquest
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "config.wsgi:application", "--bind=0.0.0.0:8000", \
	"--worker-class=gthread", "--workers=2", "--threads=8", "--no-control-socket", "--access-logfile=-", \
	"--access-logformat=%(h)s %(l)s %(u)s %(t)s %(m)s %(U)s %(H)s %(s)s %(b)s"]
