//go:build tools

// Package schemas names the API packages that schemas are made from.
package schemas

import (
	_ "sigs.k8s.io/lws/api/leaderworkerset/v1"
)
