import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runServer } from './run-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provisioning-server-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes a program that emulates the server. */
async function writeProgram(source: string): Promise<string> {
  const path = join(folder, `${Math.random()}.mjs`);
  await writeFile(path, source);
  return path;
}

const say = (line: object) => `process.stdout.write(${JSON.stringify(`${JSON.stringify(line)}\n`)});`;

function listen() {
  const heard: { ready: unknown[]; log: string } = { ready: [], log: '' };
  const stop = new AbortController();
  const around = {
    env: process.env,
    err: {
      write(text: string) {
        heard.log += text;
      },
    },
    signal: stop.signal,
    onReady: (result: unknown) => {
      heard.ready.push(result);
      stop.abort();
    },
  };
  return { heard, stop, process: around };
}

test('a server is told to end, and its exit code is the answer', async () => {
  const { heard, process } = listen();
  const program = await writeProgram(
    `process.on('SIGTERM', () => { console.error('ending ' + process.argv[2]); process.exit(7); }); setInterval(() => {}, 1000); ${say({ result: { url: 'u' } })}`,
  );
  expect(await runServer(['--http'], process, program)).toBe(7);
  expect(heard).toEqual({ ready: [{ url: 'u' }], log: 'ending --http\n' });
});

test('a server has a standard input that is open as long as the command', async () => {
  const { heard, stop, process } = listen();
  const program = await writeProgram(
    `let isOpen = true; process.stdin.resume().on('end', () => { isOpen = false; }); process.on('SIGTERM', () => setTimeout(() => { console.error(process.argv.at(-1), isOpen); process.exit(0); }, 20)); ${say({ result: {} })}`,
  );
  expect(await runServer([], process, program)).toBe(0);
  expect([heard.log, stop.signal.aborted]).toEqual(['--with-parent true\n', true]);
});

test('an error that it reports is thrown', async () => {
  const { heard, process } = listen();
  const error = { code: 'port-in-use', blame: 'user', what: 'serve the API', why: 'EADDRINUSE' };
  const program = await writeProgram(`${say({ error })} process.exitCode = 2;`);
  await expect(runServer([], process, program)).rejects.toMatchObject({ details: error });
  expect(heard.ready).toEqual([]);
});

test('a program that is not built is a clear error', async () => {
  await expect(runServer([], listen().process, join(folder, 'none.js'))).rejects.toMatchObject({ details: { code: 'not-built' } });
});
