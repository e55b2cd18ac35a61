"""Data only: icons, styles, texts, prompts, default schema, sample library."""
