package clients

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func gpt(t *testing.T, mount, apiKey string) openai.Client {
	t.Helper()
	return openai.NewClient(
		option.WithBaseURL(baseURL(t)+mount+"/v1"), option.WithAPIKey(apiKey),
	)
}

type gptMessage = openai.ChatCompletionMessageParamUnion

func gptParams(messages ...gptMessage) openai.ChatCompletionNewParams {
	function := shared.FunctionDefinitionParam{Name: "get_weather", Parameters: schema}
	return openai.ChatCompletionNewParams{
		Model:    "gpt-5.6",
		Messages: messages,
		Tools:    []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(function)},
	}
}

func gptCities(t *testing.T, calls []openai.ChatCompletionMessageToolCallUnion) []string {
	t.Helper()
	var cities []string
	for _, call := range calls {
		equal(t, "type", call.Type, "function")
		equal(t, "name", call.Function.Name, "get_weather")
		var arguments struct{ City string }
		must(t, json.Unmarshal([]byte(call.Function.Arguments), &arguments))
		cities = append(cities, arguments.City)
	}
	return cities
}

// gptTurn is a question, the calls to it and a result of each.
func gptTurn(called openai.ChatCompletionMessage, results ...string) []gptMessage {
	turn := []gptMessage{openai.UserMessage(question), called.ToParam()}
	for index, text := range results {
		turn = append(turn, openai.ToolMessage(text, called.ToolCalls[index].ID))
	}
	return turn
}

func TestOpenAI(t *testing.T) { testGPT(t, "/openai") }

func TestCompat(t *testing.T) { testGPT(t, "/compat") }

func testGPT(t *testing.T, mount string) {
	ctx := context.Background()
	client := gpt(t, mount, key)
	ask := func(t *testing.T, messages ...gptMessage) openai.ChatCompletionChoice {
		t.Helper()
		done, err := client.Chat.Completions.New(ctx, gptParams(messages...))
		must(t, err)
		return done.Choices[0]
	}
	stream := func(t *testing.T, prompt string) (openai.ChatCompletion, int) {
		t.Helper()
		var gathered openai.ChatCompletionAccumulator
		count := 0
		params := gptParams(openai.UserMessage(prompt))
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		chunks := client.Chat.Completions.NewStreaming(ctx, params)
		for chunks.Next() {
			count++
			equal(t, "the chunk fits", gathered.AddChunk(chunks.Current()), true)
		}
		must(t, chunks.Err())
		return gathered.ChatCompletion, count
	}

	t.Run("text", func(t *testing.T) {
		said := ask(t, openai.UserMessage(capital))
		equal(t, "text", said.Message.Content, "Paris")
		equal(t, "finish reason", said.FinishReason, "stop")
	})
	t.Run("tool call", func(t *testing.T) {
		called := ask(t, openai.UserMessage(question))
		equal(t, "finish reason", called.FinishReason, "tool_calls")
		equalAll(t, "cities", gptCities(t, called.Message.ToolCalls), []string{"Kampala", "Lima"})
	})
	t.Run("result", func(t *testing.T) {
		called := ask(t, openai.UserMessage(question)).Message
		said := ask(t, gptTurn(called, "22C", "19C")...)
		equal(t, "text", said.Message.Content, "The tool said: 22C\nThe tool said: 19C")
	})
	t.Run("failing result", func(t *testing.T) {
		called := ask(t, openai.UserMessage(question)).Message
		again := ask(t, gptTurn(called, "22C", "error: the station is down")...).Message
		equalAll(t, "cities", gptCities(t, again.ToolCalls), []string{"Lima"})
		equal(t, "the id is old", again.ToolCalls[0].ID == called.ToolCalls[1].ID, false)
	})
	t.Run("streamed text", func(t *testing.T) {
		whole := ask(t, openai.UserMessage(hello))
		said, chunks := stream(t, hello)
		equal(t, "in pieces", chunks > 4, true)
		equal(t, "text", said.Choices[0].Message.Content, whole.Message.Content)
		equal(t, "finish reason", said.Choices[0].FinishReason, "stop")
		equal(t, "usage is there", said.Usage.TotalTokens > 0, true)
	})
	t.Run("streamed tool call", func(t *testing.T) {
		called, chunks := stream(t, question)
		equal(t, "in pieces", chunks > 6, true)
		message := called.Choices[0].Message
		equalAll(t, "cities", gptCities(t, message.ToolCalls), []string{"Kampala", "Lima"})
		equal(t, "finish reason", called.Choices[0].FinishReason, "tool_calls")
		said := ask(t, gptTurn(message, "22C", "19C")...)
		contains(t, "text", said.Message.Content, "22C")
	})
	t.Run("result without its call", func(t *testing.T) {
		lonely := openai.ToolMessage("22C", "call_1")
		_, err := client.Chat.Completions.New(ctx, gptParams(openai.UserMessage(question), lonely))
		refused := gptError(t, err)
		equal(t, "status", refused.StatusCode, 400)
		equal(t, "type", refused.Type, "invalid_request_error")
		equal(t, "param", refused.Param, "messages.[1].role")
		equal(t, "message", refused.Message,
			"Invalid parameter: messages with role 'tool' must be a response to a preceeding "+
				"message with 'tool_calls'.")
	})
	t.Run("refused stream", func(t *testing.T) {
		chunks := client.Chat.Completions.NewStreaming(ctx, gptParams(openai.ToolMessage("22C", "a")))
		for chunks.Next() {
			t.Errorf("a chunk came: %s", chunks.Current().RawJSON())
		}
		equal(t, "status", gptError(t, chunks.Err()).StatusCode, 400)
	})
	t.Run("bad key", func(t *testing.T) {
		stranger := gpt(t, mount, "wrong")
		_, err := stranger.Chat.Completions.New(ctx, gptParams(openai.UserMessage(capital)))
		refused := gptError(t, err)
		equal(t, "status", refused.StatusCode, 401)
		equal(t, "code", refused.Code, "invalid_api_key")
		contains(t, "message", refused.Message, "Incorrect API key provided")
	})
	t.Run("models", func(t *testing.T) {
		var ids []string
		models := client.Models.ListAutoPaging(ctx)
		for models.Next() {
			ids = append(ids, models.Current().ID)
		}
		must(t, models.Err())
		contains(t, "ids", "["+join(ids)+"]", "[gpt-5.6 gpt-5.4-nano")
		one, err := client.Models.Get(ctx, "gpt-5.6")
		must(t, err)
		equal(t, "id", one.ID, "gpt-5.6")
		_, err = client.Models.Get(ctx, "gpt-1")
		refused := gptError(t, err)
		equal(t, "status", refused.StatusCode, 404)
		equal(t, "code", refused.Code, "model_not_found")
	})
	// A fault is the error that a model of the sandbox answers with, without a retry.
	fault := func(t *testing.T, model string) *openai.Error {
		t.Helper()
		params := gptParams(openai.UserMessage(hello))
		params.Model = model
		_, err := client.Chat.Completions.New(ctx, params, option.WithMaxRetries(0))
		return gptError(t, err)
	}
	t.Run("rate limit", func(t *testing.T) {
		refused := fault(t, "sandbox-status-429")
		equal(t, "status", refused.StatusCode, 429)
		equal(t, "type", refused.Type, "rate_limit_error")
		equal(t, "retry after", refused.Response.Header.Get("Retry-After"), "1")
		equal(t, "request id is there", refused.Response.Header.Get("X-Request-Id") != "", true)
	})
	t.Run("server error", func(t *testing.T) {
		refused := fault(t, "sandbox-status-500")
		equal(t, "status", refused.StatusCode, 500)
		equal(t, "type", refused.Type, "server_error")
	})
	t.Run("overloaded", func(t *testing.T) {
		refused := fault(t, "sandbox-status-529")
		equal(t, "status", refused.StatusCode, 529)
		equal(t, "type", refused.Type, "server_error")
	})
	t.Run("unauthorized", func(t *testing.T) {
		equal(t, "status", fault(t, "sandbox-status-401").StatusCode, 401)
	})
	t.Run("unknown model", func(t *testing.T) {
		refused := fault(t, "gpt-1")
		equal(t, "status", refused.StatusCode, 404)
		equal(t, "code", refused.Code, "model_not_found")
	})
	broken := func(t *testing.T, model string) (openai.ChatCompletionChoice, error) {
		t.Helper()
		var gathered openai.ChatCompletionAccumulator
		params := gptParams(openai.UserMessage(hello))
		params.Model = model
		chunks := client.Chat.Completions.NewStreaming(ctx, params)
		for chunks.Next() {
			equal(t, "the chunk fits", gathered.AddChunk(chunks.Current()), true)
		}
		return gathered.Choices[0], chunks.Err()
	}
	t.Run("truncated stream", func(t *testing.T) {
		said, err := broken(t, "sandbox-stream-truncate")
		must(t, err)
		equal(t, "a text is there", said.Message.Content != "", true)
		equal(t, "finish reason", said.FinishReason, "")
	})
	t.Run("error in a stream", func(t *testing.T) {
		said, err := broken(t, "sandbox-stream-error")
		equal(t, "a text is there", said.Message.Content != "", true)
		if err == nil {
			t.Fatal("no error came")
		}
		contains(t, "error", err.Error(), "breaks off")
	})
}

func gptError(t *testing.T, err error) *openai.Error {
	t.Helper()
	var refused *openai.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an error of the API", err)
	}
	return refused
}
