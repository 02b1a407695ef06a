//! Starts `serq-lsp --stdio` from the worktree's PATH.

use zed_extension_api as zed;

struct Serq;

impl zed::Extension for Serq {
    fn new() -> Self {
        Serq
    }

    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let command = worktree.which("serq-lsp").ok_or_else(|| {
            "serq-lsp is not on PATH: install it with `pip install serq-lsp` in the project's environment".to_owned()
        })?;
        Ok(zed::Command { command, args: vec!["--stdio".to_owned()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Serq);
