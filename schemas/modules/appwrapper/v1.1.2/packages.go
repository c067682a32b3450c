//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/project-codeflare/appwrapper/api/v1beta2"
)
