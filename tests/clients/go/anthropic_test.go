package clients

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/toolrunner"
)

func claude(t *testing.T, apiKey string) anthropic.Client {
	t.Helper()
	return anthropic.NewClient(
		option.WithBaseURL(baseURL(t)+"/anthropic"), option.WithAPIKey(apiKey),
	)
}

func claudeParams(messages ...anthropic.MessageParam) anthropic.MessageNewParams {
	input := anthropic.ToolInputSchemaParam{
		Properties: schema["properties"], Required: []string{"city"},
	}
	return anthropic.MessageNewParams{
		Model:     "claude-sonnet-5",
		MaxTokens: 99,
		Messages:  messages,
		Tools:     []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(input, "get_weather")},
	}
}

func claudeAsks(text string) anthropic.MessageParam {
	return anthropic.NewUserMessage(anthropic.NewTextBlock(text))
}

// claudeCities returns the cities that a message's calls name.
func claudeCities(t *testing.T, message *anthropic.Message) []string {
	t.Helper()
	var cities []string
	for _, block := range message.Content {
		use, ok := block.AsAny().(anthropic.ToolUseBlock)
		if !ok {
			t.Fatalf("%s is no tool_use block", block.RawJSON())
		}
		equal(t, "name", use.Name, "get_weather")
		var input struct{ City string }
		must(t, json.Unmarshal(use.Input, &input))
		cities = append(cities, input.City)
	}
	return cities
}

// claudeResults answers a message's calls in order; the call at index failed fails.
func claudeResults(message *anthropic.Message, failed int) anthropic.MessageParam {
	var results []anthropic.ContentBlockParamUnion
	for index, block := range message.Content {
		text := []string{"22C", "19C"}[index]
		results = append(results, anthropic.NewToolResultBlock(block.ID, text, index == failed))
	}
	return anthropic.NewUserMessage(results...)
}

func TestAnthropic(t *testing.T) {
	ctx := context.Background()
	client := claude(t, key)
	ask := func(t *testing.T, messages ...anthropic.MessageParam) *anthropic.Message {
		t.Helper()
		message, err := client.Messages.New(ctx, claudeParams(messages...))
		must(t, err)
		return message
	}
	stream := func(t *testing.T, prompt string) (message anthropic.Message, deltas int) {
		t.Helper()
		events := client.Messages.NewStreaming(ctx, claudeParams(claudeAsks(prompt)))
		for events.Next() {
			event := events.Current()
			must(t, message.Accumulate(event))
			if event.Type == "content_block_delta" {
				deltas++
			}
		}
		must(t, events.Err())
		return message, deltas
	}

	t.Run("text", func(t *testing.T) {
		said := ask(t, claudeAsks(capital))
		equal(t, "text", said.Content[0].AsText().Text, "Paris")
		equal(t, "stop reason", said.StopReason, anthropic.StopReasonEndTurn)
		equal(t, "usage is there", said.Usage.InputTokens > 0 && said.Usage.OutputTokens > 0, true)
	})
	t.Run("tool call", func(t *testing.T) {
		called := ask(t, claudeAsks(question))
		equal(t, "stop reason", called.StopReason, anthropic.StopReasonToolUse)
		equalAll(t, "cities", claudeCities(t, called), []string{"Kampala", "Lima"})
	})
	t.Run("result", func(t *testing.T) {
		called := ask(t, claudeAsks(question))
		said := ask(t, claudeAsks(question), called.ToParam(), claudeResults(called, -1))
		want := "The tool said: 22C\nThe tool said: 19C"
		equal(t, "text", said.Content[0].AsText().Text, want)
	})
	t.Run("failing result", func(t *testing.T) {
		called := ask(t, claudeAsks(question))
		again := ask(t, claudeAsks(question), called.ToParam(), claudeResults(called, 1))
		equalAll(t, "cities", claudeCities(t, again), []string{"Lima"})
		equal(t, "the id is old", again.Content[0].ID == called.Content[1].ID, false)
	})
	t.Run("streamed text", func(t *testing.T) {
		whole := ask(t, claudeAsks(hello))
		said, deltas := stream(t, hello)
		equal(t, "in pieces", deltas > 1, true)
		equal(t, "text", said.Content[0].AsText().Text, whole.Content[0].AsText().Text)
		equal(t, "stop reason", said.StopReason, anthropic.StopReasonEndTurn)
		equal(t, "output tokens", said.Usage.OutputTokens, whole.Usage.OutputTokens)
	})
	t.Run("streamed tool call", func(t *testing.T) {
		called, deltas := stream(t, question)
		equal(t, "in pieces", deltas > 2, true)
		equalAll(t, "cities", claudeCities(t, &called), []string{"Kampala", "Lima"})
		equal(t, "stop reason", called.StopReason, anthropic.StopReasonToolUse)
		said := ask(t, claudeAsks(question), called.ToParam(), claudeResults(&called, -1))
		contains(t, "text", said.Content[0].AsText().Text, "22C")
	})
	t.Run("tool runner", func(t *testing.T) {
		type input struct {
			City string `json:"city"`
		}
		weather := func(_ context.Context, in input) (anthropic.BetaToolResultBlockParamContentUnion, error) {
			text := anthropic.BetaTextBlockParam{Text: in.City + " is sunny"}
			return anthropic.BetaToolResultBlockParamContentUnion{OfText: &text}, nil
		}
		raw, err := json.Marshal(schema)
		must(t, err)
		tool, err := toolrunner.NewBetaToolFromBytes("get_weather", "Tell the weather.", raw, weather)
		must(t, err)
		runner := client.Beta.Messages.NewToolRunner(
			[]anthropic.BetaTool{tool},
			anthropic.BetaToolRunnerParams{
				BetaMessageNewParams: anthropic.BetaMessageNewParams{
					Model:     "claude-sonnet-5",
					MaxTokens: 99,
					Messages: []anthropic.BetaMessageParam{
						anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock(question)),
					},
				},
			},
		)
		said, err := runner.RunToCompletion(ctx)
		must(t, err)
		contains(t, "text", said.Content[0].AsText().Text, "Lima is sunny")
	})
	t.Run("result without its call", func(t *testing.T) {
		lonely := anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_1", "22C", false))
		_, err := client.Messages.New(ctx, claudeParams(claudeAsks(question), lonely))
		refused := claudeError(t, err)
		equal(t, "status", refused.StatusCode, 400)
		equal(t, "type", string(refused.Type()), "invalid_request_error")
		equal(t, "request id is there", refused.RequestID != "", true)
		equal(t, "message", refused.Message,
			"messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. "+
				"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.")
	})
	t.Run("refused stream", func(t *testing.T) {
		lonely := anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_1", "22C", false))
		events := client.Messages.NewStreaming(ctx, claudeParams(lonely))
		for events.Next() {
			t.Errorf("an event came: %s", events.Current().RawJSON())
		}
		equal(t, "status", claudeError(t, events.Err()).StatusCode, 400)
	})
	t.Run("bad key", func(t *testing.T) {
		stranger := claude(t, "wrong")
		_, err := stranger.Messages.New(ctx, claudeParams(claudeAsks(capital)))
		refused := claudeError(t, err)
		equal(t, "status", refused.StatusCode, 401)
		equal(t, "type", string(refused.Type()), "authentication_error")
		equal(t, "message", refused.Message, "invalid x-api-key")
	})
	t.Run("models", func(t *testing.T) {
		var ids []string
		models := client.Models.ListAutoPaging(ctx, anthropic.ModelListParams{})
		for models.Next() {
			ids = append(ids, models.Current().ID)
		}
		must(t, models.Err())
		contains(t, "ids", "["+join(ids)+"]", "[claude-opus-5 claude-sonnet-5 claude-haiku-4-5")
		one, err := client.Models.Get(ctx, "claude-opus-5", anthropic.ModelGetParams{})
		must(t, err)
		equal(t, "id", one.ID, "claude-opus-5")
		equal(t, "name", one.DisplayName, "Claude Opus 5")
		_, err = client.Models.Get(ctx, "claude-2", anthropic.ModelGetParams{})
		equal(t, "status", claudeError(t, err).StatusCode, 404)
	})
	// A fault is the error that a model of the sandbox answers with, without a retry.
	fault := func(t *testing.T, model anthropic.Model) *anthropic.Error {
		t.Helper()
		params := claudeParams(claudeAsks(hello))
		params.Model = model
		_, err := client.Messages.New(ctx, params, option.WithMaxRetries(0))
		return claudeError(t, err)
	}
	t.Run("rate limit", func(t *testing.T) {
		refused := fault(t, "sandbox-status-429")
		equal(t, "status", refused.StatusCode, 429)
		equal(t, "type", string(refused.Type()), "rate_limit_error")
		equal(t, "retry after", refused.Response.Header.Get("Retry-After"), "1")
		equal(t, "request id is there", refused.RequestID != "", true)
	})
	t.Run("server error", func(t *testing.T) {
		refused := fault(t, "sandbox-status-500")
		equal(t, "status", refused.StatusCode, 500)
		equal(t, "type", string(refused.Type()), "api_error")
	})
	t.Run("overloaded", func(t *testing.T) {
		refused := fault(t, "sandbox-status-529")
		equal(t, "status", refused.StatusCode, 529)
		equal(t, "type", string(refused.Type()), "overloaded_error")
	})
	t.Run("unauthorized", func(t *testing.T) {
		equal(t, "status", fault(t, "sandbox-status-401").StatusCode, 401)
	})
	t.Run("unknown model", func(t *testing.T) {
		refused := fault(t, "claude-2")
		equal(t, "status", refused.StatusCode, 404)
		equal(t, "message", refused.Message, "model: claude-2")
	})
	broken := func(t *testing.T, model anthropic.Model) (message anthropic.Message, err error) {
		t.Helper()
		params := claudeParams(claudeAsks(hello))
		params.Model = model
		events := client.Messages.NewStreaming(ctx, params)
		for events.Next() {
			must(t, message.Accumulate(events.Current()))
		}
		return message, events.Err()
	}
	t.Run("truncated stream", func(t *testing.T) {
		said, err := broken(t, "sandbox-stream-truncate")
		must(t, err)
		equal(t, "a text is there", said.Content[0].Text != "", true)
		equal(t, "stop reason", said.StopReason, "")
	})
	t.Run("error in a stream", func(t *testing.T) {
		said, err := broken(t, "sandbox-stream-error")
		equal(t, "a text is there", said.Content[0].Text != "", true)
		equal(t, "type", string(claudeError(t, err).Type()), "api_error")
	})
}

func claudeError(t *testing.T, err error) *anthropic.Error {
	t.Helper()
	var refused *anthropic.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an error of the API", err)
	}
	return refused
}
