// What the tests of the official Node clients share.
//
// SKYL_SANDBOX_URL says where the sandbox is served; the pytest beside this folder sets it.

import assert from 'node:assert/strict';
import test from 'node:test';

export const base = process.env.SKYL_SANDBOX_URL;
assert.ok(base, 'SKYL_SANDBOX_URL is not set: run these tests with pytest, which serves the sandbox');

export const key = 'sandbox-key';
export const question = 'What is the weather in Kampala and Lima?';
export const oneCity = 'What is the weather in Lima?';
export const capital = 'What is the capital of France?';
export const hello = 'Hello, who are you?';

export const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

/** Declares each case as a test of its own, named after the client and the case. */
export function cases(client, byName) {
  for (const [name, run] of Object.entries(byName)) test(`${client}: ${name}`, run);
}

/** Returns the error that a promise is rejected with, which must be of a class. */
export async function refused(kind, promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof kind, `${error} is no ${kind.name}`);
    return error;
  }
  return assert.fail('nothing was refused');
}

/** Reads a stream to its end. */
export async function gather(stream) {
  const all = [];
  for await (const one of stream) all.push(one);
  return all;
}
