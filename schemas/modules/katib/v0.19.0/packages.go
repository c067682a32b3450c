//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/kubeflow/katib/pkg/apis/controller/experiments/v1beta1"
)
