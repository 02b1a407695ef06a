vim.bo.commentstring = '// %s'
vim.bo.shiftwidth = 2
vim.bo.expandtab = true
if pcall(vim.treesitter.start) then -- where the parser is installed
  vim.wo[0][0].foldmethod = 'expr'
  vim.wo[0][0].foldexpr = 'v:lua.vim.treesitter.foldexpr()'
  vim.wo[0][0].foldlevel = 99
end
