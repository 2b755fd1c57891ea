package breaker

import _ "embed"

// Schema is the JSON Schema of the state file.
//
//go:embed state.schema.json
var Schema []byte
