//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	_ "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	_ "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	_ "volcano.sh/apis/pkg/apis/flow/v1alpha1"
	_ "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	_ "volcano.sh/apis/pkg/apis/topology/v1alpha1"
	_ "volcano.sh/apis/pkg/apis/datadependency/v1alpha1"
)
