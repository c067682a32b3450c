// Command goyaml answers what kubectl's YAML reader makes of texts.
//
// It reads a JSON array of strings from standard input and writes an array of the same length to standard output:
// {"value": ...} for a text that sigs.k8s.io/yaml reads, {"error": "..."} for one that it refuses.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		fmt.Fprintln(os.Stderr, "standard input is no JSON array of strings:", err)
		os.Exit(2)
	}
	answers := make([]answer, len(texts))
	for i, text := range texts {
		answers[i] = read(text)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(text string) (found answer) {
	defer func() {
		if panicked := recover(); panicked != nil {
			found = answer{Error: fmt.Sprint("panic: ", panicked)}
		}
	}()
	value, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}
