"""All addresses."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from provenance_site import api, views
from provenance_site.accounts import views as accounts_views

urlpatterns: list[URLPattern | URLResolver] = [
    path("favicon.ico", views.favicon, name="favicon"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("api/v1/", include((api.urlpatterns(), "api-1"))),
    path("admin/login/", accounts_views.admin_sign_in),
    path("admin/", admin.site.urls),
    path("accounts/", include("provenance_site.accounts.urls")),
    path("notices/", include("provenance_site.notices.urls")),
    path("lineage/", include("lineage.urls")),
    path("", include("sources.urls")),
    path("", include("validation.urls")),
]
