"""The one place that sets offline, telemetry and tokenizer variables; imported before anything heavy.

A value that the shell already set wins.
"""

import os

DEFAULTS = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "DO_NOT_TRACK": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLI_PROMPT": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "LLAMA_INDEX_DISABLE_TELEMETRY": "1",
}

for _name, _value in DEFAULTS.items():
    os.environ.setdefault(_name, _value)
