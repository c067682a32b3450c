//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/fluxcd/helm-controller/api/v2"
)
