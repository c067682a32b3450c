//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)
