"""Signs bodies with Stripe's official library.

Reads a JSON list of {"payload", "secret", "timestamp"} from standard input, and prints the list of headers.
"""

import json
import sys

from stripe import WebhookSignature

letters = json.load(sys.stdin)
headers = [
    WebhookSignature.generate_signature_header(one["payload"], one["secret"], timestamp=one["timestamp"])
    for one in letters
]
json.dump(headers, sys.stdout)
