-- Neovim 0.11: found by `vim.lsp.enable('serq')` when this folder is on the runtime path.
return {
  cmd = { 'serq-lsp', '--stdio' },
  filetypes = { 'serq' },
  root_markers = { 'serq.toml', '.git', 'pyproject.toml' },
}
