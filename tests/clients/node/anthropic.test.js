import assert from 'node:assert/strict';
import * as current from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import * as previous from 'anthropic-previous';
import { betaTool as betaToolPrevious } from 'anthropic-previous/helpers/beta/json-schema';

import { base, capital, cases, gather, hello, key, question, refused, schema } from './shared.js';

const tools = [{ name: 'get_weather', input_schema: schema }];
const user = (content) => ({ role: 'user', content });
const lonely = { type: 'tool_result', tool_use_id: 'toolu_1', content: '22C' };

function results(called, failed = -1) {
  return user(
    called.content.map(({ id }, index) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: ['22C', '19C'][index],
      ...(index === failed && { is_error: true }),
    })),
  );
}

function cities(called) {
  return called.content.map((block) => {
    assert.equal(block.type, 'tool_use');
    assert.equal(block.name, 'get_weather');
    return block.input.city;
  });
}

function tests(client, sdk, tool) {
  const { Anthropic, BadRequestError, AuthenticationError, NotFoundError } = sdk;
  const claude = new Anthropic({ apiKey: key, baseURL: `${base}/anthropic` });
  const params = (...messages) => ({ model: 'claude-sonnet-5', max_tokens: 99, tools, messages });
  const ask = (...messages) => claude.messages.create(params(...messages));

  /** Returns the error that a model of the sandbox answers with, without a retry. */
  const fault = (kind, model) =>
    refused(kind, claude.messages.create({ ...params(user(hello)), model }, { maxRetries: 0 }));
  const broken = async (model, seen) => {
    const stream = await claude.messages.create({ ...params(user(hello)), model, stream: true });
    for await (const event of stream) seen.push(event);
  };
  const textOf = (events) => events.map((event) => event.delta?.text ?? '').join('');

  cases(client, {
    text: async () => {
      const said = await ask(user(capital));
      assert.equal(said.content[0].text, 'Paris');
      assert.equal(said.stop_reason, 'end_turn');
      assert.ok(said.usage.input_tokens > 0 && said.usage.output_tokens > 0);
      assert.ok(said._request_id);
    },
    'tool call': async () => {
      const called = await ask(user(question));
      assert.equal(called.stop_reason, 'tool_use');
      assert.deepEqual(cities(called), ['Kampala', 'Lima']);
    },
    result: async () => {
      const called = await ask(user(question));
      const turn = { role: called.role, content: called.content };
      const said = await ask(user(question), turn, results(called));
      assert.equal(said.content[0].text, 'The tool said: 22C\nThe tool said: 19C');
    },
    'failing result': async () => {
      const called = await ask(user(question));
      const turn = { role: called.role, content: called.content };
      const again = await ask(user(question), turn, results(called, 1));
      assert.deepEqual(cities(again), ['Lima']);
      assert.notEqual(again.content[0].id, called.content[1].id);
    },
    'streamed text': async () => {
      const whole = await ask(user(hello));
      const stream = claude.messages.stream(params(user(hello)));
      const pieces = [];
      stream.on('text', (piece) => pieces.push(piece));
      const said = await stream.finalMessage();
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(''), whole.content[0].text);
      assert.deepEqual(said.content, whole.content);
      assert.equal(said.usage.output_tokens, whole.usage.output_tokens);
    },
    'streamed tool call': async () => {
      const stream = claude.messages.stream(params(user(question)));
      const pieces = [];
      stream.on('inputJson', (piece) => pieces.push(piece));
      const called = await stream.finalMessage();
      assert.ok(pieces.length > 2);
      assert.equal(called.stop_reason, 'tool_use');
      assert.deepEqual(cities(called), ['Kampala', 'Lima']);
      const turn = { role: called.role, content: called.content };
      const said = await ask(user(question), turn, results(called));
      assert.match(said.content[0].text, /22C/);
    },
    'tool runner': async () => {
      const weather = tool({
        name: 'get_weather',
        description: 'Tell the weather.',
        inputSchema: schema,
        run: ({ city }) => `${city} is sunny`,
      });
      const said = await claude.beta.messages.toolRunner({ ...params(user(question)), tools: [weather] });
      assert.match(said.content[0].text, /Lima is sunny/);
    },
    'result without its call': async () => {
      const error = await refused(BadRequestError, ask(user(question), user([lonely])));
      assert.equal(error.status, 400);
      assert.ok(error.requestID);
      assert.deepEqual(error.error.error, {
        type: 'invalid_request_error',
        message:
          'messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. ' +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      });
    },
    'refused stream': async () => {
      const stream = claude.messages.stream(params(user([lonely])));
      await refused(BadRequestError, stream.finalMessage());
    },
    'bad key': async () => {
      const stranger = new Anthropic({ apiKey: 'wrong', baseURL: `${base}/anthropic` });
      const error = await refused(AuthenticationError, stranger.messages.create(params(user(capital))));
      assert.equal(error.status, 401);
      assert.deepEqual(error.error.error, { type: 'authentication_error', message: 'invalid x-api-key' });
    },
    models: async () => {
      const ids = (await gather(claude.models.list())).map(({ id }) => id);
      assert.deepEqual(ids.slice(0, 3), ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-4-5']);
      const one = await claude.models.retrieve('claude-opus-5');
      assert.equal(one.display_name, 'Claude Opus 5');
      await refused(NotFoundError, claude.models.retrieve('claude-2'));
    },
    'rate limit': async () => {
      const error = await fault(sdk.RateLimitError, 'sandbox-status-429');
      assert.deepEqual([error.status, error.error.error.type], [429, 'rate_limit_error']);
      assert.equal(error.headers.get('retry-after'), '1');
      assert.ok(error.requestID);
    },
    'server error': async () => {
      const error = await fault(sdk.InternalServerError, 'sandbox-status-500');
      assert.deepEqual([error.status, error.error.error.type], [500, 'api_error']);
    },
    overloaded: async () => {
      const error = await fault(sdk.InternalServerError, 'sandbox-status-529');
      assert.deepEqual([error.status, error.error.error.type], [529, 'overloaded_error']);
    },
    unauthorized: async () => {
      await fault(AuthenticationError, 'sandbox-status-401');
    },
    'unknown model': async () => {
      const error = await fault(NotFoundError, 'claude-2');
      assert.equal(error.error.error.message, 'model: claude-2');
    },
    'truncated stream': async () => {
      const seen = [];
      await broken('sandbox-stream-truncate', seen);
      assert.ok(textOf(seen));
      assert.ok(!seen.some(({ type }) => type === 'message_delta' || type === 'message_stop'));
    },
    'error in a stream': async () => {
      const seen = [];
      const error = await refused(sdk.APIError, broken('sandbox-stream-error', seen));
      assert.ok(textOf(seen));
      assert.match(error.message, /breaks off/);
    },
  });
}

tests('anthropic', current, betaTool);
tests('anthropic-previous', previous, betaToolPrevious);
