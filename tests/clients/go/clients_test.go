// Package clients drives the providers' official Go clients against the sandbox.
//
// SKYL_SANDBOX_URL says where the sandbox is served; the pytest beside this module sets it.
package clients

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	key      = "sandbox-key"
	question = "What is the weather in Kampala and Lima?"
	oneCity  = "What is the weather in Lima?"
	capital  = "What is the capital of France?"
	hello    = "Hello, who are you?"
)

// schema is what get_weather takes.
var schema = map[string]any{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}},
	"required":   []string{"city"},
}

func baseURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("SKYL_SANDBOX_URL")
	if url == "" {
		t.Fatal("SKYL_SANDBOX_URL is not set: run these tests with pytest, which serves the sandbox")
	}
	return url
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func equalAll(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func contains(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: got %q, which does not contain %q", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func join(words []string) string { return strings.Join(words, " ") }
