"""TreeCut for lm-evaluation-harness: what the task files and the command line of lm-eval call.

Nothing is imported here, so that lm-eval loads only the module that it asks for.
"""
