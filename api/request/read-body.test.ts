import { expect, test } from 'vitest';
import { readBody } from './read-body.js';

test('a body that is cut off is a bad request, not an internal error', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('aborted')),
  });
  const read = readBody(body, new Headers({ 'content-type': 'application/json' }));
  await expect(read).rejects.toMatchObject({ details: { code: 'bad-request', blame: 'user' } });
});
