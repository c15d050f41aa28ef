import { describe, expect, test } from 'vitest';
import { MOST_OUTPUT, runThere } from './run-there.js';

const HERE = { name: 'here', connection: { kind: 'this' } } as const;
const how = { keys: '/nowhere', what: 'run a command' };

describe('a command on a server', () => {
  test('is told with its exit code and both its streams', async () => {
    const ran = await runThere(HERE, how, ['echo out; echo err >&2; exit 7']);
    expect(ran).toEqual({ exit: 7, stdout: { text: 'out\n', cut: 0 }, stderr: { text: 'err\n', cut: 0 }, reached: true });
  });

  test('is given nothing to read', async () => {
    expect(await runThere(HERE, how, ['wc', '-c'])).toMatchObject({ exit: 0, stdout: { text: '0\n' } });
  });

  test('is ended with what it started when its time is over', async () => {
    // Long enough for a busy machine to start, and much shorter than the command.
    const ran = await runThere(HERE, { ...how, timeoutMs: 3_000 }, ['echo begun; sleep 300; echo never']);
    expect(ran).toMatchObject({ stdout: { text: 'begun\n' }, reached: true, timedOut: true });
    expect(ran.exit).toBeUndefined();
  });

  test('is ended from outside', async () => {
    const ended = new AbortController();
    setTimeout(() => ended.abort(), 100);
    expect(await runThere(HERE, { ...how, signal: ended.signal }, ['sleep 30'])).toMatchObject({ stopped: true });
  });

  test('is ended at once if that was wished before it began', async () => {
    expect(await runThere(HERE, { ...how, signal: AbortSignal.abort() }, ['sleep 300'])).toMatchObject({ stopped: true });
  });

  test('keeps no more than so much of what it prints, and says how much that was', async () => {
    const { stdout, stderr } = await runThere(HERE, how, ['yes | head -c 2000000; yes | head -c 10 >&2']);
    expect(stdout.text.length).toBeLessThan(MOST_OUTPUT + 100);
    expect(stdout.text.length + stdout.cut).toBe(2_000_000);
    expect(stderr).toMatchObject({ cut: 0 });
  });

  test('of a server that does not answer is told as that, with what ssh said', async () => {
    const closed = { name: 'web-1', connection: { kind: 'ssh', address: '127.0.0.1', port: 1, user: 'root' } } as const;
    const ran = await runThere(closed, how, ['true']);
    expect(ran).toMatchObject({ reached: false, stderr: { text: expect.stringMatching(/refused/) } });
    expect(ran.exit).toBeUndefined();
  });
});
