//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/fluid-cloudnative/fluid/api/v1alpha1"
)
