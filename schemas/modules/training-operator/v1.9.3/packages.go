//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
)
