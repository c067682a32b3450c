//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
)
