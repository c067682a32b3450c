//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/kyverno/api/api/policies.kyverno.io/v1"
)
