"""Styles of the project's instructions: the server removes style attributes, the editor all margins."""

STYLE = """
.lsf-modal-ls__body { max-height: 70vh; overflow-y: auto; font-size: 14px; line-height: 20px; }
.lsf-modal-ls__body :is(h1, h2, h3, h4, h5, h6) { font-size: 16px; line-height: 22px; font-weight: 600;
  margin: 14px 0 4px; }
.lsf-modal-ls__body :is(p, pre, blockquote, table) { margin: 6px 0; }
.lsf-modal-ls__body :is(ul, ol) { margin: 6px 0; padding-left: 22px; }
.lsf-modal-ls__body ul { list-style: disc; }
.lsf-modal-ls__body ol { list-style: decimal; }
.lsf-modal-ls__body :is(th, td) { padding: 2px 10px; border: 1px solid rgba(128, 128, 128, .5); text-align: left; }
"""
