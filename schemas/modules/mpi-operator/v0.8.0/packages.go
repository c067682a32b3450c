//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
)
