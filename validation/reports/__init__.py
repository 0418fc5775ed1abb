"""Pure writers of what people read outside the browser."""
