import assert from 'node:assert/strict';
import * as current from 'openai';
import * as previous from 'openai-previous';

import { base, capital, cases, gather, hello, key, question, refused, schema } from './shared.js';

const tools = [{ type: 'function', function: { name: 'get_weather', parameters: schema } }];
const user = (content) => ({ role: 'user', content });
const lonely = { role: 'tool', tool_call_id: 'call_1', content: '22C' };

function cities(message) {
  return message.tool_calls.map((call) => {
    assert.equal(call.type, 'function');
    assert.equal(call.function.name, 'get_weather');
    return JSON.parse(call.function.arguments).city;
  });
}

/** A question, the calls to it and a result of each. The calls go back as they came. */
function turn(called, ...contents) {
  const results = contents.map((content, index) => ({
    role: 'tool',
    tool_call_id: called.tool_calls[index].id,
    content,
  }));
  return [user(question), called, ...results];
}

function tests(client, mount, sdk) {
  const { OpenAI, BadRequestError, AuthenticationError, NotFoundError } = sdk;
  const baseURL = `${base}/${mount}/v1`;
  const gpt = new OpenAI({ apiKey: key, baseURL });
  const params = (...messages) => ({ model: 'gpt-5.6', tools, messages });
  const ask = async (...messages) =>
    (await gpt.chat.completions.create(params(...messages))).choices[0];

  /** Returns the error that a model of the sandbox answers with, without a retry. */
  const fault = (kind, model) =>
    refused(kind, gpt.chat.completions.create({ ...params(user(hello)), model }, { maxRetries: 0 }));
  const broken = async (model, seen) => {
    const asked = { ...params(user(hello)), model, stream: true };
    for await (const chunk of await gpt.chat.completions.create(asked)) seen.push(chunk.choices[0]);
  };
  const textOf = (choices) => choices.map(({ delta }) => delta.content ?? '').join('');

  cases(client, {
    text: async () => {
      const said = await ask(user(capital));
      assert.equal(said.message.content, 'Paris');
      assert.equal(said.finish_reason, 'stop');
    },
    'tool call': async () => {
      const called = await ask(user(question));
      assert.equal(called.finish_reason, 'tool_calls');
      assert.deepEqual(cities(called.message), ['Kampala', 'Lima']);
    },
    result: async () => {
      const called = (await ask(user(question))).message;
      const said = await ask(...turn(called, '22C', '19C'));
      assert.equal(said.message.content, 'The tool said: 22C\nThe tool said: 19C');
    },
    'failing result': async () => {
      const called = (await ask(user(question))).message;
      const again = (await ask(...turn(called, '22C', 'error: the station is down'))).message;
      assert.deepEqual(cities(again), ['Lima']);
      assert.notEqual(again.tool_calls[0].id, called.tool_calls[1].id);
    },
    'streamed text': async () => {
      const whole = await ask(user(hello));
      const stream = gpt.chat.completions.stream({
        ...params(user(hello)),
        stream_options: { include_usage: true },
      });
      const pieces = [];
      stream.on('content', (piece) => pieces.push(piece));
      const said = await stream.finalChatCompletion();
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(''), whole.message.content);
      assert.equal(said.choices[0].message.content, whole.message.content);
      assert.equal(said.choices[0].finish_reason, 'stop');
      assert.ok(said.usage.total_tokens > 0);
    },
    'streamed tool call': async () => {
      const stream = gpt.chat.completions.stream(params(user(question)));
      const pieces = [];
      stream.on('tool_calls.function.arguments.delta', ({ arguments_delta }) => pieces.push(arguments_delta));
      const called = (await stream.finalChatCompletion()).choices[0];
      assert.ok(pieces.length > 2);
      assert.equal(called.finish_reason, 'tool_calls');
      assert.deepEqual(cities(called.message), ['Kampala', 'Lima']);
      const said = await ask(...turn(called.message, '22C', '19C'));
      assert.match(said.message.content, /22C/);
    },
    'tool runner': async () => {
      const weather = {
        name: 'get_weather',
        description: 'Tell the weather.',
        parameters: schema,
        parse: JSON.parse,
        function: ({ city }) => `${city} is sunny`,
      };
      const runner = gpt.chat.completions.runTools({
        ...params(user(question)),
        tools: [{ type: 'function', function: weather }],
      });
      assert.match(await runner.finalContent(), /Lima is sunny/);
    },
    'result without its call': async () => {
      const error = await refused(BadRequestError, ask(user(question), lonely));
      assert.equal(error.status, 400);
      assert.deepEqual(error.error, {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message " +
          "with 'tool_calls'.",
        type: 'invalid_request_error',
        param: 'messages.[1].role',
        code: null,
      });
    },
    'refused stream': async () => {
      const stream = gpt.chat.completions.stream(params(lonely));
      await refused(BadRequestError, stream.finalChatCompletion());
    },
    'bad key': async () => {
      const stranger = new OpenAI({ apiKey: 'wrong', baseURL });
      const error = await refused(
        AuthenticationError,
        stranger.chat.completions.create(params(user(capital))),
      );
      assert.equal(error.status, 401);
      assert.equal(error.code, 'invalid_api_key');
      assert.match(error.message, /Incorrect API key provided/);
    },
    models: async () => {
      const ids = (await gather(gpt.models.list())).map(({ id }) => id);
      assert.deepEqual(ids.slice(0, 2), ['gpt-5.6', 'gpt-5.4-nano']);
      assert.equal((await gpt.models.retrieve('gpt-5.6')).id, 'gpt-5.6');
      const error = await refused(NotFoundError, gpt.models.retrieve('gpt-1'));
      assert.equal(error.code, 'model_not_found');
    },
    'rate limit': async () => {
      const error = await fault(sdk.RateLimitError, 'sandbox-status-429');
      assert.deepEqual([error.status, error.type], [429, 'rate_limit_error']);
      assert.equal(error.headers.get('retry-after'), '1');
      assert.ok(error.requestID);
    },
    'server error': async () => {
      const error = await fault(sdk.InternalServerError, 'sandbox-status-500');
      assert.deepEqual([error.status, error.type], [500, 'server_error']);
    },
    overloaded: async () => {
      const error = await fault(sdk.InternalServerError, 'sandbox-status-529');
      assert.deepEqual([error.status, error.type], [529, 'server_error']);
    },
    unauthorized: async () => {
      await fault(AuthenticationError, 'sandbox-status-401');
    },
    'unknown model': async () => {
      assert.equal((await fault(NotFoundError, 'gpt-1')).code, 'model_not_found');
    },
    'truncated stream': async () => {
      const seen = [];
      await broken('sandbox-stream-truncate', seen);
      assert.ok(textOf(seen));
      assert.ok(seen.every((choice) => choice.finish_reason === null));
    },
    'error in a stream': async () => {
      const seen = [];
      const error = await refused(sdk.APIError, broken('sandbox-stream-error', seen));
      assert.ok(textOf(seen));
      assert.match(error.message, /breaks off/);
    },
  });
}

tests('openai', 'openai', current);
tests('openai-previous', 'openai', previous);
tests('compat', 'compat', current);
tests('compat-previous', 'compat', previous);
