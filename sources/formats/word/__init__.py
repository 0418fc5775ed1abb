"""What Word documents hold: paragraphs, field codes, links, and the works that reference managers put into them."""
