import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { unreachableError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { followServers } from './follow-servers.js';
import type { OpenHosts, ScriptOptions } from './host-scripts.js';
import { endWithInput } from './read-logs.js';

const server = (name: string) => ({ name }) as InventoryServer;

/** A running script: its arguments, and the function by which the test ends it. */
interface Running {
  options: Required<Pick<ScriptOptions, 'signal' | 'output' | 'input'>>;
  end(how: { exit: number; stderr: string } | Error): void;
}
let running: Record<string, Running>;
beforeEach(() => {
  running = {};
});
/** Emulates the connection of a running script, which ends when its signal is aborted. */
const hosts: OpenHosts = {
  run: ({ name }, _, options) =>
    new Promise((resolve, reject) => {
      const { signal } = options as Running['options'];
      signal.addEventListener('abort', () => reject(signal.reason));
      const end: Running['end'] = (how) => (how instanceof Error ? reject(how) : resolve(how));
      running[name] = { options: options as Running['options'], end };
    }),
  close: () => {},
};

test('lines come as they are printed, in whole characters; each server says why its lines end', async () => {
  const lines = followServers(hosts, [server('a'), server('b')], 'x');
  const first = lines.next();
  running.b?.options.output.write('one\r\n');
  expect((await first).value).toEqual({ server: 'b', line: 'one' });
  const bytes = Buffer.from('é\nrest');
  running.a?.options.output.write(bytes.subarray(0, 1));
  running.a?.options.output.write(bytes.subarray(1));
  expect((await lines.next()).value).toEqual({ server: 'a', line: 'é' });
  running.a?.end(unreachableError({ code: 'connection-lost', what: 'run a script', why: 'the connection closed' }));
  expect((await lines.next()).value).toEqual({ server: 'a', line: 'rest' });
  expect((await lines.next()).value).toEqual({ server: 'a', problem: 'the connection closed' });
  running.b?.end({ exit: 1, stderr: 'x\nFailed to parse timestamp\n' });
  expect((await lines.next()).value).toEqual({ server: 'b', problem: 'Failed to parse timestamp' });
  expect((await lines.next()).done).toBe(true);
});

test('a line without end comes in parts', async () => {
  const lines = followServers(hosts, [server('a')], 'x');
  const first = lines.next();
  running.a?.options.output.write('x'.repeat(100_000));
  running.a?.end({ exit: 0, stderr: '' });
  const parts = [(await first).value];
  for await (const part of lines) parts.push(part);
  expect(parts.flatMap((part) => (part && 'line' in part ? part.line : [])).join('')).toBe('x'.repeat(100_000));
  expect(parts.at(-1)).toEqual({ server: 'a', problem: 'the script ended with code 0' });
});

test('a reader that does not read holds the scripts back; nothing is kept without bounds', async () => {
  const lines = followServers(hosts, [server('a'), server('b')], 'x');
  const first = lines.next();
  const line = `${'x'.repeat(1_023)}\n`;
  const printed: Record<string, number> = { a: 0, b: 0 };
  const print = (name: string) => {
    const output = running[name]?.options.output;
    while (output && !output.writableNeedDrain && (printed[name] ?? 0) < 10_000) {
      output.write(line);
      printed[name] = (printed[name] ?? 0) + 1;
    }
  };
  for (let round = 0; round < 500; round++) {
    for (const name of ['a', 'b']) print(name);
    await turn();
  }
  await first;
  const sum = () => (printed.a ?? 0) + (printed.b ?? 0);
  const held = sum();
  expect(held).toBeLessThan(500);
  // It continues as soon as lines are read.
  for (let count = 0; count < 1_000; count++) {
    for (const name of ['a', 'b']) print(name);
    await lines.next();
  }
  expect(sum()).toBeGreaterThan(held);
  await lines.return(undefined);
});

test.each(['returns', 'aborts its signal'])('a reader that %s ends all scripts, and the input that they wait for', async (how) => {
  const left = new AbortController();
  const lines = followServers(hosts, [server('a'), server('b')], 'x', left.signal);
  const first = lines.next();
  running.a?.options.output.write('one\n');
  await first;
  const next = how === 'returns' ? lines.return(undefined) : lines.next();
  if (how !== 'returns') left.abort();
  expect((await next).done).toBe(true);
  await turn();
  for (const { options } of Object.values(running)) expect([options.signal.aborted, options.input.destroyed]).toEqual([true, true]);
  expect(Object.keys(running)).toEqual(['a', 'b']);
});

test('a reader that left before gets nothing, and no script is begun', async () => {
  const lines = followServers(hosts, [server('a')], 'x', AbortSignal.abort());
  expect([(await lines.next()).done, running]).toEqual([true, {}]);
});

test('a server that is switched off says so', async () => {
  const off = { ...server('a'), stopped: 'server-stop-shop-1' };
  const lines = followServers(hosts, [off], 'x');
  expect((await lines.next()).value).toEqual({ server: 'a', problem: 'it is switched off' });
  expect((await lines.next()).done).toBe(true);
});

test('a command ends with its input, though it prints nothing; one that ends by itself gives its code', async () => {
  const run = (command: string) => spawn('bash', ['-c', endWithInput(command)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const silent = run('bash -c "echo begun; exec sleep 1000"');
  await once(silent.stdout, 'data');
  silent.stdin.end();
  // Its output ends with the last process that has it.
  const [[code]] = await Promise.all([once(silent, 'exit'), once(silent.stdout, 'close')]);
  expect(code).toBe(143);
  const other = run('bash -c "exit 3"');
  const [[ended]] = await Promise.all([once(other, 'exit'), once(other.stdout.resume(), 'close')]);
  expect(ended).toBe(3);
});
