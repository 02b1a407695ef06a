"""Records of the kernel IR, their JSON per version, and what an expression's value is. Imports no other room."""
