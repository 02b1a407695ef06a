"""The reader of Markdown fixtures and what tests share to judge them. It knows no room of the product."""
