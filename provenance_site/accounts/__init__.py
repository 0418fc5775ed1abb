"""People: users, workspaces (tenants), memberships with a role, API tokens."""
