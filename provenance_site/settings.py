"""All settings, from the environment, in one file. Empty environment = the embedded installation of `make run`.

`.env.example` explains each variable; `provenance_site/checks.py` refuses combinations that must not go live.
"""

import secrets
import sys
from pathlib import Path

import django_stubs_ext
from csp.constants import NONE, SELF

from provenance_site import env
from provenance_site.sample.site import HOSTS as SAMPLE_HOST_NAMES
from provenance_site.schedule import SCHEDULE

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("DESK_DATA", BASE_DIR / "var")
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)


def _own_secret(path: Path) -> str:
    """A secret made once for this installation and kept in a file only its owner reads."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text().strip()


# -- who may talk to us ------------------------------------------------------------------------------------------------
DEBUG = env.flag("DESK_DEBUG", False)
SECRET_KEY = env.text("DESK_SECRET_KEY") or _own_secret(DATA_DIR / "secret.key")
# Secrets that SECRET_KEY has replaced: what was signed or encrypted under them stays readable while they stand here.
SECRET_KEY_FALLBACKS = env.words("DESK_SECRET_KEY_FALLBACKS")
RELAY_HOSTS = env.words("DESK_RELAY_HOSTS")
ALLOWED_HOSTS = env.words("DESK_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
HTTPS = env.flag("DESK_HTTPS", False)
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if HTTPS and host != "*"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Proxies of ours in front of the site: only their entries of X-Forwarded-For are believed when sign-ins are counted.
TRUSTED_PROXIES = env.number("DESK_TRUSTED_PROXIES", 0)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SAMESITE = "Lax"
# Two installations on one machine differ only by port, and cookies know no port.
SESSION_COOKIE_NAME = "desk_session"
CSRF_COOKIE_NAME = "desk_csrf"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # Bootstrap draws its form marks as data: images
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# -- the applications --------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "provenance_site.accounts",
    "provenance_site.jobs",
    "provenance_site.changes",
    "provenance_site.notices",
    "provenance_site.kit",
    "provenance_site.apps.SiteConfig",
    "lineage",
    "sources",
    "validation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_tables2",
    "django_filters",
    "csp",
    "ninja",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "provenance_site.kit.middleware.StorableCookiesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "provenance_site.accounts.middleware.MembershipMiddleware",
    "provenance_site.accounts.middleware.ReaderMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "provenance_site.accounts.middleware.OneTimePasswordMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "provenance_site.kit.middleware.PrivatePagesMiddleware",
    "provenance_site.kit.middleware.StorableMiddleware",
]

ROOT_URLCONF = "provenance_site.urls"
WSGI_APPLICATION = "provenance_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "provenance_site.accounts.context.desk",
                "sources.views.nav.header",
            ],
        },
    }
]

# -- people ------------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# -- where things are kept ---------------------------------------------------------------------------------------------
DATABASES = {"default": env.database("DESK_DATABASE_URL", DATA_DIR / "desk.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
EXPORT_DIR = DATA_DIR / "exports"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Hashed names once `collectstatic` has run (as `make run` and the image do); plain finders before that, as in tests.
_COLLECTED = sys.argv[1:2] == ["collectstatic"] or (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_USE_FINDERS = not _COLLECTED
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if _COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# A pasted list may hold 10 MB; the form's own message names its limit, so Django's must lie above it.
IMPORT_MAX_BYTES = 10 * 1024 * 1024
IMPORT_MAX_FILE_BYTES = 64 * 1024 * 1024
IMPORT_MAX_REFERENCES = 50_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * IMPORT_MAX_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# -- work --------------------------------------------------------------------------------------------------------------
BROKER_URL = env.text("DESK_BROKER_URL")
QUEUE_DIR = DATA_DIR / "queue"
CELERY_BROKER_URL = BROKER_URL or "filesystem://"
CELERY_BROKER_TRANSPORT = None if BROKER_URL else "provenance_site.queue_folder:Transport"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 600}
    if BROKER_URL
    else {
        "data_folder_in": QUEUE_DIR / "messages",
        "data_folder_out": QUEUE_DIR / "messages",
        "control_folder": QUEUE_DIR / "control",
        "processed_folder": QUEUE_DIR / "done",
        "polling_interval": 0.2,
    }
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = SCHEDULE
# Beat writes its file with every task it sends: the health check of docker-compose.yml sees there that it lives.
CELERY_BEAT_SYNC_EVERY = 1
WORKER_SLOTS = env.number("DESK_WORKER_SLOTS", 2)

# -- the outside world -------------------------------------------------------------------------------------------------
PRODUCT_VERSION = "0.1.0"
CONTACT_URL = env.text("DESK_CONTACT_URL", "https://provenance-desk.example/bot")
SEARXNG_URL = env.text("DESK_SEARXNG_URL")
# Searches that need a key are asked where there is one, in this order and after SearXNG.
TAVILY_URL = env.text("DESK_TAVILY_URL", "https://api.tavily.com/")
TAVILY_KEY = env.text("DESK_TAVILY_KEY")
PERPLEXITY_URL = env.text("DESK_PERPLEXITY_URL", "https://api.perplexity.ai/")
PERPLEXITY_KEY = env.text("DESK_PERPLEXITY_KEY")
FIRECRAWL_URL = env.text("DESK_FIRECRAWL_URL", "https://api.firecrawl.dev/")
FIRECRAWL_KEY = env.text("DESK_FIRECRAWL_KEY")
DOI_RESOLVER_URL = env.text("DESK_DOI_RESOLVER_URL", "https://doi.org/")
# Registries of scholarly works and an archive of pages, which need no key.
SCHOLARLY = env.flag("DESK_SCHOLARLY", True)
CROSSREF_URL = env.text("DESK_CROSSREF_URL", "https://api.crossref.org/")
OPENALEX_URL = env.text("DESK_OPENALEX_URL", "https://api.openalex.org/")
CONTACT_EMAIL = env.text("DESK_CONTACT_EMAIL")
# Who is asked whether a work was retracted. Retraction Watch's export comes from a file where no address is given.
RETRACTION_PROVIDERS = env.words("DESK_RETRACTION_PROVIDERS", "crossref,openalex,pubmed,arxiv")
RETRACTION_WATCH_URL = env.text("DESK_RETRACTION_WATCH_URL")
# Keys are optional: they allow more questions a day, or a second.
OPENALEX_KEY = env.text("DESK_OPENALEX_KEY")
PUBMED_KEY = env.text("DESK_PUBMED_KEY")
PUBMED_URL = env.text("DESK_PUBMED_URL", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/")
EUROPEPMC_URL = env.text("DESK_EUROPEPMC_URL", "https://www.ebi.ac.uk/europepmc/webservices/rest/")
ARXIV_URL = env.text("DESK_ARXIV_URL", "https://export.arxiv.org/")
BIORXIV_URL = env.text("DESK_BIORXIV_URL", "https://api.biorxiv.org/")
ARCHIVE = env.flag("DESK_ARCHIVE", True)
ARCHIVE_URL = env.text("DESK_ARCHIVE_URL", "https://archive.org/")
ARCHIVE_INDEX_URL = env.text("DESK_ARCHIVE_INDEX_URL", "https://web.archive.org/")
# The sample publishers: a loopback site that `make run` serves. Its hosts alone are exempt from the loopback block.
SAMPLE_PORT = env.number("DESK_SAMPLE_PORT", 0)
SAMPLE_HOSTS = SAMPLE_HOST_NAMES
FETCH_DEADLINE_S = env.number("DESK_FETCH_DEADLINE_S", 20)

# -- mail --------------------------------------------------------------------------------------------------------------
_MAIL = env.mail_server("DESK_MAIL_URL")
MAIL_ON = bool(_MAIL)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_ON else 'dummy'}.EmailBackend"
EMAIL_HOST, EMAIL_PORT = _MAIL.get("host", ""), _MAIL.get("port", 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.get("user", ""), _MAIL.get("password", "")
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.get("starttls", False), _MAIL.get("tls", False)
EMAIL_TIMEOUT = 15
DEFAULT_FROM_EMAIL = env.text("DESK_MAIL_FROM", "provenance-desk@localhost")
# Where people reach the site, for links in mail; without it mail has no links.
SITE_URL = env.text("DESK_SITE_URL").rstrip("/")

# -- words and hours ---------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

DJANGO_TABLES2_TEMPLATE = "kit/table.html"
NINJA_PAGINATION_MAX_LIMIT = 1000
SILENCED_SYSTEM_CHECKS: list[str] = []

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"no_secrets": {"()": "provenance_site.logs.NoSecrets"}},
    "formatters": {
        "line": {"()": "provenance_site.logs.Line", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "filters": ["no_secrets"], "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("DESK_LOG_LEVEL", "INFO")},
    "loggers": {"django.server": {"level": "WARNING"}, "httpx": {"level": "WARNING"}},
}
