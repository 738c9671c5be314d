// A reporter for `node --test`: one line of JSON for each test.

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:pass' || type === 'test:fail') {
      const error = data.details?.error;
      const why = error && String(error.cause?.stack ?? error.stack ?? error);
      yield `${JSON.stringify({ name: data.name, passed: type === 'test:pass' && !data.skip, why })}\n`;
    } else if (type === 'test:stderr' || type === 'test:stdout') {
      yield `${JSON.stringify({ said: data.message })}\n`;
    }
  }
}
