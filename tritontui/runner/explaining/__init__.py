"""Why a case failed: findings from mismatches and errors, and changes of the text that would make it right."""
