//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
)
