vim.filetype.add({ extension = { sq = 'serq' } })
