/* serq_lsp._grammar: the parse tables as the capsule that the `tree_sitter` package takes. Limited API, CPython 3.10 and later. */
#include <Python.h>

typedef struct TSLanguage TSLanguage;
TSLanguage *tree_sitter_serq(void);

static PyObject *language(PyObject *self, PyObject *args) {
    (void)self;
    (void)args;
    return PyCapsule_New(tree_sitter_serq(), "tree_sitter.Language", NULL);
}

static PyMethodDef methods[] = {
    {"language", language, METH_NOARGS, "language() -> capsule: the serQ grammar, for tree_sitter.Language."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_grammar",
    .m_doc = "The serQ grammar's parse tables.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__grammar(void) { return PyModuleDef_Init(&module); }
