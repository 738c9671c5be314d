import assert from 'node:assert/strict';
import * as current from '@google/genai';
import * as previous from 'genai-previous';

import {
  base,
  capital,
  cases,
  gather,
  hello,
  key,
  oneCity,
  question,
  refused,
  schema,
} from './shared.js';

const model = 'gemini-3.6-flash';
const declared = { name: 'get_weather', parametersJsonSchema: schema };
const config = { tools: [{ functionDeclarations: [declared] }] };
const asked = { role: 'user', parts: [{ text: question }] };
const warm = { output: '22C' };
const cold = { output: '19C' };

const parts = (...responses) =>
  responses.map((response) => ({ functionResponse: { name: 'get_weather', response } }));
const results = (...responses) => ({ role: 'user', parts: parts(...responses) });

function cities(calls) {
  return calls.map(({ name, args }) => {
    assert.equal(name, 'get_weather');
    return args.city;
  });
}

const textOf = (chunks) => chunks.map((chunk) => chunk.text ?? '').join('');
const callsOf = (chunks) => chunks.flatMap((chunk) => chunk.functionCalls ?? []);

/** Returns what an error of this client says: the provider's body stands in its message. */
function body(error) {
  return JSON.parse(error.message.slice(error.message.indexOf('{'))).error;
}

function tests(client, apiVersion, { ApiError, GoogleGenAI }) {
  const connect = (apiKey) =>
    new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: `${base}/gemini` } });
  const google = connect(key);
  const ask = (...contents) => google.models.generateContent({ model, contents, config });
  const stream = async (contents) =>
    gather(await google.models.generateContentStream({ model, contents, config }));
  const fault = (name) =>
    refused(ApiError, google.models.generateContent({ model: name, contents: hello }));
  const broken = async (name, seen) => {
    const asked = { model: name, contents: hello };
    for await (const chunk of await google.models.generateContentStream(asked)) seen.push(chunk);
  };

  cases(client, {
    text: async () => {
      const said = await ask(capital);
      assert.equal(said.text, 'Paris');
      assert.equal(said.candidates[0].finishReason, 'STOP');
      assert.ok(said.usageMetadata.totalTokenCount > 0);
    },
    'tool call': async () => {
      assert.deepEqual(cities((await ask(asked)).functionCalls), ['Kampala', 'Lima']);
    },
    result: async () => {
      const called = await ask(asked);
      const said = await ask(asked, called.candidates[0].content, results(warm, cold));
      assert.equal(said.text, 'The tool said: 22C\nThe tool said: 19C');
    },
    'failing result': async () => {
      const called = await ask(asked);
      const failed = results(warm, { error: 'the station is down' });
      const again = await ask(asked, called.candidates[0].content, failed);
      assert.deepEqual(cities(again.functionCalls), ['Lima']);
    },
    'streamed text': async () => {
      const chunks = await stream(hello);
      assert.ok(chunks.length > 1);
      assert.equal(textOf(chunks), (await ask(hello)).text);
    },
    'streamed tool call': async () => {
      const chunks = await stream(question);
      assert.ok(chunks.length > 1);
      assert.deepEqual(cities(callsOf(chunks)), ['Kampala', 'Lima']);
    },
    chat: async () => {
      const chat = google.chats.create({ model, config });
      const called = await chat.sendMessage({ message: question });
      assert.deepEqual(cities(called.functionCalls), ['Kampala', 'Lima']);
      const said = await chat.sendMessage({ message: parts(warm, cold) });
      assert.equal(said.text, 'The tool said: 22C\nThe tool said: 19C');
    },
    'streamed chat': async () => {
      // The client keeps each piece of an answer as a content of its own and sends them all back.
      const chat = google.chats.create({ model, config });
      const called = await gather(await chat.sendMessageStream({ message: oneCity }));
      assert.deepEqual(cities(callsOf(called)), ['Lima']);
      const said = await gather(await chat.sendMessageStream({ message: parts(warm) }));
      assert.equal(textOf(said), 'The tool said: 22C');
      assert.equal(textOf(await gather(await chat.sendMessageStream({ message: capital }))), 'Paris');
    },
    'streamed chat with two calls': async () => {
      // So it sends two contents of one call each before the results of both, which the provider
      // refuses: https://github.com/googleapis/go-genai/issues/692
      const chat = google.chats.create({ model, config });
      const called = await gather(await chat.sendMessageStream({ message: question }));
      assert.deepEqual(cities(callsOf(called)), ['Kampala', 'Lima']);
      const error = await refused(ApiError, chat.sendMessageStream({ message: parts(warm, cold) }));
      assert.equal(error.status, 400);
    },
    'result without its call': async () => {
      const error = await refused(ApiError, ask(asked, results(warm)));
      assert.equal(error.status, 400);
      assert.deepEqual(body(error), {
        code: 400,
        message:
          'Please ensure that function response turn comes immediately after a function call turn.',
        status: 'INVALID_ARGUMENT',
      });
    },
    'refused stream': async () => {
      const error = await refused(ApiError, stream([asked, results(warm)]));
      assert.equal(error.status, 400);
    },
    'bad key': async () => {
      const said = connect('wrong').models.generateContent({ model, contents: capital });
      const error = await refused(ApiError, said);
      assert.equal(error.status, 400);
      assert.match(body(error).message, /API key not valid/);
      assert.equal(body(error).details[0].reason, 'API_KEY_INVALID');
    },
    models: async () => {
      const names = (await gather(await google.models.list())).map(({ name }) => name);
      assert.deepEqual(names.slice(0, 2), ['models/gemini-3.6-flash', 'models/gemini-3.6-pro']);
      assert.equal((await google.models.get({ model })).name, `models/${model}`);
      const error = await refused(ApiError, google.models.get({ model: 'gemini-1' }));
      assert.equal(error.status, 404);
    },
    // The errors of this client have no headers, so a wish to wait cannot be seen.
    'rate limit': async () => {
      const error = await fault('sandbox-status-429');
      assert.deepEqual([error.status, body(error).status], [429, 'RESOURCE_EXHAUSTED']);
    },
    'server error': async () => {
      const error = await fault('sandbox-status-500');
      assert.deepEqual([error.status, body(error).status], [500, 'INTERNAL']);
    },
    overloaded: async () => {
      assert.equal((await fault('sandbox-status-529')).status, 529);
    },
    unauthorized: async () => {
      const error = await fault('sandbox-status-401');
      assert.deepEqual([error.status, body(error).status], [401, 'UNAUTHENTICATED']);
    },
    'unknown model': async () => {
      const error = await fault('gemini-1');
      assert.deepEqual([error.status, body(error).status], [404, 'NOT_FOUND']);
    },
    'truncated stream': async () => {
      const seen = [];
      await broken('sandbox-stream-truncate', seen);
      assert.ok(textOf(seen));
      assert.ok(seen.every(({ candidates }) => candidates[0].finishReason === undefined));
    },
    'error in a stream': async () => {
      const seen = [];
      const error = await refused(ApiError, broken('sandbox-stream-error', seen));
      assert.ok(textOf(seen));
      assert.deepEqual([error.status, body(error).status], [503, 'UNAVAILABLE']);
    },
  });
}

tests('genai', 'v1beta', current);
tests('genai-v1', 'v1', current);
tests('genai-previous', 'v1beta', previous);
tests('genai-previous-v1', 'v1', previous);
