// Prints the Go types that a TrainJob and a runtime are decoded into as JSON: for each struct its
// fields in order, with type, json options and the tags of strategic merge.
package main

import (
	"reflect"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
)

func main() {
	visit(reflect.TypeOf(trainer.TrainJobSpec{}))
	visit(reflect.TypeOf(trainer.TrainingRuntimeSpec{}))
	printed()
}
