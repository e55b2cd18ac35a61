"""The Health page: state, check-up with repairs, rebuild, backups, log; opened from the light."""
