//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
)
