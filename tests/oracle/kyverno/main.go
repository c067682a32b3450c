// Evaluates ValidatingPolicies with the engine of Kyverno, without a cluster.
// Each line of standard input is a case, and each line of standard output its answer.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"

	policiesv1beta1 "github.com/kyverno/api/api/policies.kyverno.io/v1beta1"
	celengine "github.com/kyverno/kyverno/pkg/cel/engine"
	"github.com/kyverno/kyverno/pkg/cel/libs"
	"github.com/kyverno/kyverno/pkg/cel/matching"
	vpolcompiler "github.com/kyverno/kyverno/pkg/cel/policies/vpol/compiler"
	vpolengine "github.com/kyverno/kyverno/pkg/cel/policies/vpol/engine"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type testCase struct {
	Policy    *policiesv1beta1.ValidatingPolicy `json:"policy"`
	Object    map[string]any                    `json:"object"`
	OldObject map[string]any                    `json:"oldObject"`
	Resource  string                            `json:"resource"`
	Namespace *corev1.Namespace                 `json:"namespace"`
}

type rule struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type answer struct {
	Refused string `json:"refused,omitempty"`
	Rules   []rule `json:"rules"`
}

func evaluate(one testCase) answer {
	policies := []policiesv1beta1.ValidatingPolicyLike{one.Policy}
	provider, err := vpolengine.NewProvider(vpolcompiler.NewCompiler(), policies, nil)
	if err != nil {
		return answer{Refused: err.Error()}
	}
	resolve := func(string) *corev1.Namespace { return one.Namespace }
	engine := vpolengine.NewEngine(provider, resolve, matching.NewMatcher())
	object := &unstructured.Unstructured{Object: one.Object}
	operation, old := admissionv1.Create, runtime.Object(nil)
	if one.OldObject != nil {
		operation, old = admissionv1.Update, &unstructured.Unstructured{Object: one.OldObject}
	}
	kind := object.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: one.Resource}
	request := celengine.Request(
		libs.NewFakeContextProvider(), kind, resource, "", object.GetName(), object.GetNamespace(), operation,
		authenticationv1.UserInfo{}, object, old, true, nil,
	)
	response, err := engine.Handle(context.Background(), request, nil)
	if err != nil {
		return answer{Refused: err.Error()}
	}
	result := answer{Rules: []rule{}}
	// Generated policies for the controllers of pods come after the policy itself.
	for _, one := range response.Policies[0].Rules {
		result.Rules = append(result.Rules, rule{Status: string(one.Status()), Message: strings.TrimSpace(one.Message())})
	}
	return result
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one testCase
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		if err := output.Encode(evaluate(one)); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
