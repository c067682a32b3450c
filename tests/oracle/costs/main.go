// Command kcost evaluates expressions as the validating admission policies of a real API server do, and writes what each costs.
//
// It reads {"expressions": [...], "variables": [...], "object": {...}} a line. The variables are named v0, v1 and so on.
// It writes {"results": [{"value"} or {"error"}], "cost": what all cost together, or -1, "exhausted": the words if the budget does not suffice},
// or {"invalid"} for an expression that does not compile.
package main

import (
	"bufio"
	"context"
	"encoding/json"

	"fmt"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"os"

	celgo "github.com/google/cel-go/cel"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type accessor struct{ name, text string }

func (a accessor) GetExpression() string      { return a.text }
func (a accessor) GetName() string            { return a.name }
func (a accessor) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType} }

type asked struct {
	Expressions []string       `json:"expressions"`
	Variables   []string       `json:"variables"`
	Object      map[string]any `json:"object"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<27)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var given asked
		if err := utiljson.Unmarshal(in.Bytes(), &given); err != nil {
			panic(err)
		}
		out.Encode(answer(given))
	}
}

func answer(given asked) map[string]any {
	compiler, err := plugin.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err)
	}
	options := plugin.OptionalVariableDeclarations{}
	for i, text := range given.Variables {
		result := compiler.CompileAndStoreVariable(accessor{fmt.Sprintf("v%d", i), text}, options, environment.NewExpressions)
		if result.Error != nil {
			return map[string]any{"invalid": result.Error.Error()}
		}
	}
	accessors := []plugin.ExpressionAccessor{}
	for _, text := range given.Expressions {
		accessors = append(accessors, accessor{"", text})
	}
	condition := compiler.CompileCondition(accessors, options, environment.NewExpressions)
	for _, err := range condition.CompilationErrors() {
		return map[string]any{"invalid": err.Error()}
	}
	object := &unstructured.Unstructured{Object: given.Object}
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	attributes := admission.NewAttributesRecord(object, nil, gvk, "ml", "sample", gvr, "", admission.Create, nil, false, nil)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedObject: object, VersionedKind: gvk}
	request := plugin.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(gvr), metav1.GroupVersionKind(gvk))
	results, left, err := condition.ForInput(compiler.CreateContext(context.Background()), versioned, request, plugin.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
	answer := map[string]any{"cost": int64(celconfig.RuntimeCELCostBudget) - left}
	if err != nil {
		answer = map[string]any{"cost": -1, "exhausted": err.Error()}
	}
	words := []map[string]any{}
	for _, result := range results {
		switch {
		case result.Error != nil:
			words = append(words, map[string]any{"error": result.Error.Error()})
		case result.EvalResult != nil:
			words = append(words, map[string]any{"value": fmt.Sprint(result.EvalResult.Value())})
		}
	}
	if len(given.Expressions) < 4 {
		for _, one := range words {
			for key, text := range one {
				if len(text.(string)) > 300 {
					one[key] = text.(string)[:300]
				}
			}
		}
	}
	answer["results"] = words
	return answer
}
