import { expect, test } from 'vitest';
import { runLine } from '../fake-run.js';

const EVENTS = [
  { cursor: '1', server: 'web', taskserv: 'nginx', text: 'one\n' },
  { cursor: '2', server: 'web', taskserv: 'nginx', text: 'two\n' },
  { cursor: '3', server: 'db', taskserv: 'redis', text: 'three\n' },
  { cursor: '4', server: 'db', taskserv: 'redis', text: 'three\nfour\n', again: true },
];

async function follow(line: string) {
  const asked: unknown[] = [];
  const client = {
    async *'operations.followLogs'(input: unknown) {
      asked.push(input);
      yield* EVENTS;
    },
  };
  return { ...(await runLine(line, { client: client as never })), asked };
}

test('logs --follow shows each part below the service that it is of', async () => {
  const { code, out, asked } = await follow('logs op-1 --follow --server web');
  expect([code, asked]).toEqual([0, [{ operation: 'op-1', server: 'web', taskserv: undefined }]]);
  expect(out).toBe('── web/nginx\none\ntwo\n── db/redis\nthree\n── db/redis again\nthree\nfour\n');
});

test('with --json each part is a line', async () => {
  const { out } = await follow('logs op-1 --follow --json');
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(EVENTS);
});
