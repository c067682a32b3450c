// cmprig: one request, as JSON on stdin, to a real config management plugin server -> its answer, as JSON on stdout.
//
// The server is cmpserver of Argo CD; the client does what the repository server does
// (reposerver/repository: runConfigManagementPluginSidecars, populatePluginAppDetails).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	grpc_retry "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	log "github.com/sirupsen/logrus"

	"github.com/argoproj/argo-cd/v3/cmpserver"
	"github.com/argoproj/argo-cd/v3/cmpserver/plugin"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/app/discovery"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

type request struct {
	// Config is the folder that holds plugin.yaml.
	Config string `json:"config"`
	Repo   string `json:"repo"`
	Path   string `json:"path"`
	Source *v1alpha1.ApplicationSourcePlugin `json:"plugin"`
	// App are variables as ARGOCD_APP_NAME.
	App []string `json:"app"`
}

type answer struct {
	Matched       bool              `json:"matched"`
	Parameters    any               `json:"parameters,omitempty"`
	Manifests     []json.RawMessage `json:"manifests,omitempty"`
	Error         string            `json:"error,omitempty"`
	GenerateError string            `json:"generateError,omitempty"`
}

func main() {
	log.SetOutput(os.Stderr)
	log.SetLevel(log.ErrorLevel)
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	out, err := run(asked)
	if err != nil {
		out.Error = err.Error()
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}

func run(asked request) (answer, error) {
	var out answer
	home, err := os.MkdirTemp("", "cmp")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(home)
	os.Setenv("ARGOCD_PLUGINSOCKFILEPATH", home)
	os.Setenv("ARGOCD_CMP_WORKDIR", filepath.Join(home, "work"))
	config, err := plugin.ReadPluginConfig(asked.Config)
	if err != nil {
		return out, err
	}
	server, err := cmpserver.NewServer(plugin.CMPServerInitConstants{PluginConfig: *config})
	if err != nil {
		return out, err
	}
	go server.Run()
	for i := 0; i < 200; i++ {
		if _, err := os.Stat(config.Address()); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	env := asked.App
	name := ""
	if asked.Source != nil {
		name = asked.Source.Name
		for _, entry := range asked.Source.Env {
			env = append(env, fmt.Sprintf("ARGOCD_ENV_%s=%s", entry.Name, entry.Value))
		}
		params, err := asked.Source.Parameters.Environ()
		if err != nil {
			return out, err
		}
		env = append(env, params...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	appPath := filepath.Join(asked.Repo, asked.Path)
	conn, client, err := discovery.DetectConfigManagementPlugin(ctx, appPath, asked.Repo, name, env, nil)
	if err != nil {
		return out, err
	}
	defer conn.Close()
	out.Matched = true

	announce, err := client.GetParametersAnnouncement(ctx, grpc_retry.Disable())
	if err != nil {
		return out, err
	}
	if err := cmp.SendRepoStream(ctx, appPath, asked.Repo, announce, env, nil); err != nil {
		return out, err
	}
	announced, err := announce.CloseAndRecv()
	if err != nil {
		return out, err
	}
	out.Parameters = announced.ParameterAnnouncements

	generate, err := client.GenerateManifest(ctx, grpc_retry.Disable())
	if err != nil {
		return out, err
	}
	if err := cmp.SendRepoStream(ctx, appPath, asked.Repo, generate, env, nil); err != nil {
		return out, err
	}
	made, err := generate.CloseAndRecv()
	if err != nil {
		out.GenerateError = err.Error()
		return out, nil
	}
	for _, text := range made.Manifests {
		out.Manifests = append(out.Manifests, json.RawMessage(text))
	}
	return out, nil
}
