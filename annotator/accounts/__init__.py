"""People, passwords, invitations and sign-ins."""
