"""What people are told: one inbox for all rooms, each notice looked at again for what its reader may see."""
