"""Addresses of the account pages."""

from django.urls import path

from provenance_site.accounts import views

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="login"),
    path("sign-out/", views.sign_out, name="logout"),
    path("password/", views.ChangePassword.as_view(), name="password"),
    path("workspace/", views.switch_workspace, name="switch-workspace"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/new/", views.token_create, name="token-create"),
    path("tokens/<int:pk>/revoke/", views.token_revoke, name="token-revoke"),
    path("people/", views.people, name="people"),
    path("people/<int:pk>/role/", views.person_role, name="person-role"),
    path("people/<int:pk>/remove/", views.person_remove, name="person-remove"),
]
