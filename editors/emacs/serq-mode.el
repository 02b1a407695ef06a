;;; serq-mode.el --- Major mode for serQ, with eglot -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages

;;; Commentary:

;; Comments, indentation and the language server `serq-lsp' for `.sq' files.
;; With eglot (built in since Emacs 29, a package before): M-x eglot.

;;; Code:

(defvar serq-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    table)
  "Syntax of serQ: `//' and `/* */' comments, strings without escapes.")

(defcustom serq-indent-offset 2
  "Columns by which a block is indented."
  :type 'integer
  :safe #'integerp
  :group 'languages)

(defun serq-indent-line ()
  "Indent the line by the number of open brackets before it."
  (interactive)
  (let* ((depth (save-excursion
                  (beginning-of-line)
                  (skip-chars-forward " \t")
                  (let ((open (car (syntax-ppss (line-beginning-position)))))
                    (if (looking-at "[])}]") (1- open) open))))
         (column (* serq-indent-offset (max depth 0)))
         (inside (> (current-column) (current-indentation))))
    (if inside
        (save-excursion (indent-line-to column))
      (indent-line-to column))))

;;;###autoload
(define-derived-mode serq-mode prog-mode "serQ"
  "Major mode for serQ programs."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(//+\\|/\\*+\\)[ \t]*")
  (setq-local indent-line-function #'serq-indent-line)
  (setq-local electric-indent-chars (append "{}" electric-indent-chars)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.sq\\'" . serq-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(serq-mode . ("serq-lsp" "--stdio"))))

(provide 'serq-mode)
;;; serq-mode.el ends here
