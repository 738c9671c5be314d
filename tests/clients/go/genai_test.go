package clients

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"google.golang.org/genai"
)

const gemini = "gemini-3.6-flash"

func google(t *testing.T, version, apiKey string) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      apiKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL(t) + "/gemini", APIVersion: version},
	})
	must(t, err)
	return client
}

func googleConfig() *genai.GenerateContentConfig {
	function := genai.FunctionDeclaration{Name: "get_weather", ParametersJsonSchema: schema}
	tool := genai.Tool{FunctionDeclarations: []*genai.FunctionDeclaration{&function}}
	return &genai.GenerateContentConfig{Tools: []*genai.Tool{&tool}}
}

func googleCities(t *testing.T, calls []*genai.FunctionCall) []string {
	t.Helper()
	var cities []string
	for _, call := range calls {
		equal(t, "name", call.Name, "get_weather")
		cities = append(cities, call.Args["city"].(string))
	}
	return cities
}

// googleResults answers calls to get_weather in order, in one content.
func googleResults(responses ...map[string]any) *genai.Content {
	var parts []*genai.Part
	for _, response := range responses {
		parts = append(parts, genai.NewPartFromFunctionResponse("get_weather", response))
	}
	return genai.NewContentFromParts(parts, genai.RoleUser)
}

type googleAnswers = iter.Seq2[*genai.GenerateContentResponse, error]

// googleGather reads a stream to its end: its text, its calls, and how many answers it had.
func googleGather(t *testing.T, answers googleAnswers) (string, []*genai.FunctionCall, int) {
	t.Helper()
	var text strings.Builder
	var calls []*genai.FunctionCall
	count := 0
	for answer, err := range answers {
		must(t, err)
		count++
		calls = append(calls, answer.FunctionCalls()...)
		for _, part := range answer.Candidates[0].Content.Parts {
			text.WriteString(part.Text)
		}
	}
	return text.String(), calls, count
}

func TestGenAIV1Beta(t *testing.T) { testGoogle(t, "v1beta") }

func TestGenAIV1(t *testing.T) { testGoogle(t, "v1") }

func testGoogle(t *testing.T, version string) {
	ctx := context.Background()
	client := google(t, version, key)
	asked := genai.NewContentFromText(question, genai.RoleUser)
	ask := func(t *testing.T, contents ...*genai.Content) *genai.GenerateContentResponse {
		t.Helper()
		answer, err := client.Models.GenerateContent(ctx, gemini, contents, googleConfig())
		must(t, err)
		return answer
	}
	warm, cold := map[string]any{"output": "22C"}, map[string]any{"output": "19C"}

	t.Run("text", func(t *testing.T) {
		said := ask(t, genai.Text(capital)...)
		equal(t, "text", said.Text(), "Paris")
		equal(t, "finish reason", said.Candidates[0].FinishReason, genai.FinishReasonStop)
		equal(t, "usage is there", said.UsageMetadata.TotalTokenCount > 0, true)
	})
	t.Run("tool call", func(t *testing.T) {
		called := ask(t, asked)
		equalAll(t, "cities", googleCities(t, called.FunctionCalls()), []string{"Kampala", "Lima"})
	})
	t.Run("result", func(t *testing.T) {
		called := ask(t, asked)
		said := ask(t, asked, called.Candidates[0].Content, googleResults(warm, cold))
		equal(t, "text", said.Text(), "The tool said: 22C\nThe tool said: 19C")
	})
	t.Run("failing result", func(t *testing.T) {
		called := ask(t, asked)
		failed := googleResults(warm, map[string]any{"error": "the station is down"})
		again := ask(t, asked, called.Candidates[0].Content, failed)
		equalAll(t, "cities", googleCities(t, again.FunctionCalls()), []string{"Lima"})
	})
	t.Run("streamed text", func(t *testing.T) {
		whole := ask(t, genai.Text(hello)...).Text()
		text, _, count := googleGather(t,
			client.Models.GenerateContentStream(ctx, gemini, genai.Text(hello), googleConfig()))
		equal(t, "in pieces", count > 1, true)
		equal(t, "text", text, whole)
	})
	t.Run("streamed tool call", func(t *testing.T) {
		_, calls, count := googleGather(t,
			client.Models.GenerateContentStream(ctx, gemini, genai.Text(question), googleConfig()))
		equal(t, "in pieces", count > 1, true)
		equalAll(t, "cities", googleCities(t, calls), []string{"Kampala", "Lima"})
	})
	t.Run("chat", func(t *testing.T) {
		chat, err := client.Chats.Create(ctx, gemini, googleConfig(), nil)
		must(t, err)
		called, err := chat.Send(ctx, genai.NewPartFromText(question))
		must(t, err)
		equalAll(t, "cities", googleCities(t, called.FunctionCalls()), []string{"Kampala", "Lima"})
		said, err := chat.Send(ctx, googleResults(warm, cold).Parts...)
		must(t, err)
		equal(t, "text", said.Text(), "The tool said: 22C\nThe tool said: 19C")
	})
	t.Run("streamed chat", func(t *testing.T) {
		// The client keeps each piece of an answer as a content of its own and sends them all back.
		chat, err := client.Chats.Create(ctx, gemini, googleConfig(), nil)
		must(t, err)
		_, calls, _ := googleGather(t, chat.SendStream(ctx, genai.NewPartFromText(oneCity)))
		equalAll(t, "cities", googleCities(t, calls), []string{"Lima"})
		text, _, _ := googleGather(t, chat.SendStream(ctx, googleResults(warm).Parts...))
		equal(t, "text", text, "The tool said: 22C")
		text, _, _ = googleGather(t, chat.SendStream(ctx, genai.NewPartFromText(capital)))
		equal(t, "text", text, "Paris")
	})
	t.Run("streamed chat with two calls", func(t *testing.T) {
		// So it sends two contents of one call each before the results of both, which the provider
		// refuses: https://github.com/googleapis/go-genai/issues/692
		chat, err := client.Chats.Create(ctx, gemini, googleConfig(), nil)
		must(t, err)
		_, calls, _ := googleGather(t, chat.SendStream(ctx, genai.NewPartFromText(question)))
		equalAll(t, "cities", googleCities(t, calls), []string{"Kampala", "Lima"})
		for _, err := range chat.SendStream(ctx, googleResults(warm, cold).Parts...) {
			equal(t, "code", googleError(t, err).Code, 400)
		}
	})
	t.Run("result without its call", func(t *testing.T) {
		contents := []*genai.Content{asked, googleResults(warm)}
		_, err := client.Models.GenerateContent(ctx, gemini, contents, googleConfig())
		refused := googleError(t, err)
		equal(t, "code", refused.Code, 400)
		equal(t, "status", refused.Status, "INVALID_ARGUMENT")
		equal(t, "message", refused.Message, "Please ensure that function response turn comes "+
			"immediately after a function call turn.")
	})
	t.Run("refused stream", func(t *testing.T) {
		contents := []*genai.Content{asked, googleResults(warm)}
		for _, err := range client.Models.GenerateContentStream(ctx, gemini, contents, googleConfig()) {
			equal(t, "code", googleError(t, err).Code, 400)
		}
	})
	t.Run("bad key", func(t *testing.T) {
		stranger := google(t, version, "wrong")
		_, err := stranger.Models.GenerateContent(ctx, gemini, genai.Text(capital), nil)
		refused := googleError(t, err)
		equal(t, "code", refused.Code, 400)
		equal(t, "status", refused.Status, "INVALID_ARGUMENT")
		contains(t, "message", refused.Message, "API key not valid")
		equal(t, "reason", refused.Details[0]["reason"], any("API_KEY_INVALID"))
	})
	t.Run("models", func(t *testing.T) {
		var names []string
		for model, err := range client.Models.All(ctx) {
			must(t, err)
			names = append(names, model.Name)
		}
		want := "[models/gemini-3.6-flash models/gemini-3.6-pro"
		contains(t, "names", "["+join(names)+"]", want)
		one, err := client.Models.Get(ctx, gemini, nil)
		must(t, err)
		equal(t, "name", one.Name, "models/"+gemini)
		_, err = client.Models.Get(ctx, "gemini-1", nil)
		equal(t, "status", googleError(t, err).Status, "NOT_FOUND")
	})
	// A fault is the error that a model of the sandbox answers with, without a retry. It has no
	// headers, so a wish to wait cannot be seen.
	fault := func(t *testing.T, model string) genai.APIError {
		t.Helper()
		_, err := client.Models.GenerateContent(ctx, model, genai.Text(hello), nil)
		return googleError(t, err)
	}
	t.Run("rate limit", func(t *testing.T) {
		refused := fault(t, "sandbox-status-429")
		equal(t, "code", refused.Code, 429)
		equal(t, "status", refused.Status, "RESOURCE_EXHAUSTED")
	})
	t.Run("server error", func(t *testing.T) {
		refused := fault(t, "sandbox-status-500")
		equal(t, "code", refused.Code, 500)
		equal(t, "status", refused.Status, "INTERNAL")
	})
	t.Run("overloaded", func(t *testing.T) {
		equal(t, "code", fault(t, "sandbox-status-529").Code, 529)
	})
	t.Run("unauthorized", func(t *testing.T) {
		refused := fault(t, "sandbox-status-401")
		equal(t, "code", refused.Code, 401)
		equal(t, "status", refused.Status, "UNAUTHENTICATED")
	})
	t.Run("unknown model", func(t *testing.T) {
		refused := fault(t, "gemini-1")
		equal(t, "code", refused.Code, 404)
		equal(t, "status", refused.Status, "NOT_FOUND")
	})
	broken := func(t *testing.T, model string) (text string, end genai.FinishReason, last error) {
		t.Helper()
		answers := client.Models.GenerateContentStream(ctx, model, genai.Text(hello), nil)
		for answer, err := range answers {
			if err != nil {
				last = err
				continue
			}
			text += answer.Text()
			end = answer.Candidates[0].FinishReason
		}
		return text, end, last
	}
	t.Run("truncated stream", func(t *testing.T) {
		text, end, err := broken(t, "sandbox-stream-truncate")
		must(t, err)
		equal(t, "a text is there", text != "", true)
		equal(t, "finish reason", end, "")
	})
	t.Run("error in a stream", func(t *testing.T) {
		text, _, err := broken(t, "sandbox-stream-error")
		equal(t, "a text is there", text != "", true)
		refused := googleError(t, err)
		equal(t, "code", refused.Code, 503)
		equal(t, "status", refused.Status, "UNAVAILABLE")
	})
}

func googleError(t *testing.T, err error) genai.APIError {
	t.Helper()
	var refused genai.APIError
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an error of the API", err)
	}
	return refused
}
