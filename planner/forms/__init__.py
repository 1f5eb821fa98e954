"""What people type into the pages that keep something."""
