-- Run by test_neovim.py: nvim --headless -u NONE -l neovim.lua FILE. Prints one line a step; ends with an error where a step fails.
local file = arg[1]
local function say(line)
  io.stderr:write(line .. '\n') -- `print` may join lines once keys were pressed
end
local function wait(what, test)
  assert(vim.wait(15000, function() local ok, found = pcall(test); return ok and found end, 20), 'no ' .. what)
  say('ok ' .. what)
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
  for _, answer in pairs(assert(answers, method)) do
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
end
local function at(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
end

local folder = vim.fn.fnamemodify(arg[0], ':p:h:h:h') .. '/editors/nvim'
local page = table.concat(vim.fn.readfile(folder .. '/README.md'), '\n')
vim.opt.runtimepath:append(folder)
vim.cmd('filetype plugin on')
vim.cmd('runtime! ftdetect/*.lua')
assert(load(page:match('```lua\n(.-)```')))()
vim.cmd('edit ' .. vim.fn.fnameescape(file))
wait('client', function() return #vim.lsp.get_clients({ bufnr = 0, name = 'serq' }) == 1 end)
say('encoding ' .. vim.lsp.get_clients({ name = 'serq' })[1].offset_encoding)

wait('diagnostics', function() return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 1 end)
local found = vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })[1]
say('diagnostic ' .. found.lnum .. ' ' .. vim.split(found.message, '\n')[1])

wait('highlighting', function() return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil end)
assert(vim.wo.foldmethod == 'expr', vim.wo.foldmethod)
local hover = ask('textDocument/hover', at(9, 3))
assert(hover.contents.value:find('exclusive prefill'), vim.inspect(hover))
say('ok hover')
local listed = ask('textDocument/completion', at(1, 19))
assert(#listed.items > 5, vim.inspect(listed))
say('ok completion')
local definition = ask('textDocument/definition', at(8, 10))
definition = definition[1] or definition
assert((definition.targetSelectionRange or definition.range).start.line == 2, vim.inspect(definition))
say('ok definition')

vim.api.nvim_buf_set_text(0, found.lnum, found.col, found.end_lnum, found.end_col, { 'reqs' })
wait('cure', function() return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0 end)

local function lens()
  local found = vim.lsp.codelens.get(0)[1]
  return found and found.command and found.command.title or ''
end
wait('lens', function() return lens() == '▶ run' end)
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.api.nvim_feedkeys('\\r', 'x', false)
wait('lens of the run', function() return lens():find('^▶ run · %d+ iterations') ~= nil end)
wait('inlay hints', function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) == 3 end)
for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
  say('hint ' .. hint.inlay_hint.position.line .. ' ' .. hint.inlay_hint.label)
end
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// a new line' })
wait('stale hints', function()
  local hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
  return #hints == 3 and hints[1].inlay_hint.label:find('^stale · ') ~= nil
end)
vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
wait('stale lens', function() return lens():find('^▶ run · stale · ') ~= nil end)
vim.lsp.stop_client(vim.lsp.get_clients({ name = 'serq' }))
wait('end', function() return #vim.lsp.get_clients({ name = 'serq' }) == 0 end)
