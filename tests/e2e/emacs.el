;; Run by test_emacs.py: emacs --batch -L editors/emacs -l emacs.el FILE. Prints one line a step.
(require 'serq-mode)
(require 'eglot)
(require 'flymake)
(require 'cl-lib)

(setq eglot-sync-connect 10 eglot-autoshutdown t eglot-send-changes-idle-time 0.05)

(defun serq-test-wait (what test)
  "Wait until TEST gives something for WHAT, and return it."
  (let ((limit (+ (float-time) 20)) found)
    (while (and (not (setq found (funcall test))) (< (float-time) limit))
      (accept-process-output nil 0.05))
    (unless found (message "no %s" what) (kill-emacs 1))
    (message "ok %s" what)
    found))

(find-file (car command-line-args-left))
(setq command-line-args-left nil)
(unless (derived-mode-p 'serq-mode) (message "mode %s" major-mode) (kill-emacs 1))
(apply #'eglot (let ((guess (eglot--guess-contact))) (append (cl-subseq guess 0 4) (nthcdr 4 guess))))
(serq-test-wait "server" (lambda () (eglot-current-server)))
(flymake-mode 1)
(flymake-start)
(let ((found (serq-test-wait "diagnostics"
                             (lambda () (cl-find-if (lambda (it) (string-match "reqz" (flymake-diagnostic-text it)))
                                                    (flymake-diagnostics))))))
  (message "diagnostic line %d" (line-number-at-pos (flymake-diagnostic-beg found))))
(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                              (list :textDocument (eglot--TextDocumentIdentifier)
                                    :position (list :line 9 :character 3)))))
  (message "hover %s" (if (string-match "exclusive prefill" (plist-get (plist-get hover :contents) :value)) "right" "wrong")))
(let ((answer (eglot-execute-command (eglot-current-server) "serq.run"
                                     (vector (plist-get (eglot--TextDocumentIdentifier) :uri)))))
  (message "run %S" (plist-get answer :error)))
(goto-char (point-min))
(re-search-forward "reqz")
(replace-match "reqs")
(eglot--signal-textDocument/didChange)
(serq-test-wait "cure"
                (lambda () (not (cl-find-if (lambda (it) (string-match "reqz" (flymake-diagnostic-text it)))
                                            (flymake-diagnostics)))))
(let ((answer (eglot-execute-command (eglot-current-server) "serq.run"
                                     (vector (plist-get (eglot--TextDocumentIdentifier) :uri)))))
  (message "iterations %S" (plist-get answer :iterations)))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(message "ok end")
(kill-emacs 0)
