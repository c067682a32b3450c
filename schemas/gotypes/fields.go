package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Options  string `json:"options"`
	Strategy string `json:"strategy"`
	Key      string `json:"key"`
}

var structs = map[string][]field{}

var scalars = map[reflect.Type]string{
	reflect.TypeOf(resource.Quantity{}):  "Quantity",
	reflect.TypeOf(intstr.IntOrString{}): "IntOrString",
	reflect.TypeOf(metav1.Time{}):        "Time",
}

func name(t reflect.Type) string {
	if s := scalars[t]; s != "" {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + name(t.Elem())
	case reflect.Slice:
		return "[]" + name(t.Elem())
	case reflect.Map:
		return "map[string]" + name(t.Elem())
	case reflect.Struct:
		return visit(t)
	}
	return t.Kind().String()
}

func visit(t reflect.Type) string {
	pkg := strings.Split(t.PkgPath(), "/")
	key := strings.Join(pkg[len(pkg)-2:], "/") + "." + t.Name()
	if _, known := structs[key]; !known && t.Name() != "ManagedFieldsEntry" {
		structs[key] = []field{}
		structs[key] = fields(t)
	}
	return key
}

func fields(t reflect.Type) []field {
	out := []field{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && key == "":
			out = append(out, fields(f.Type)...)
		case key != "-" && f.IsExported():
			out = append(out, field{key, name(f.Type), options, f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey")})
		}
	}
	return out
}

func printed() {
	if err := json.NewEncoder(os.Stdout).Encode(structs); err != nil {
		panic(err)
	}
}
