"""The product's settings, read in the environment of a test process, with differences that only save time."""

import importlib

from tests import environment

environment.prepare()
_product = importlib.import_module("provenance_site.settings")
globals().update({name: value for name, value in vars(_product).items() if name.isupper()})

# A password hash is slow on purpose; tests make hundreds of people.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# SQLite's default test database lies in memory behind a shared cache, where writers do not wait for each other. A file
# behaves as in the product: WAL, IMMEDIATE transactions, a busy time-out.
if _product.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    _product.DATABASES["default"]["TEST"] = {"NAME": str(_product.DATA_DIR / "test.sqlite3")}

# WhiteNoise warns of a missing folder, and warnings are errors.
_product.STATIC_ROOT.mkdir(exist_ok=True)
