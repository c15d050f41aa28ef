import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type BoundedRun, runBounded } from './run-bounded.js';

const MiB = 1024 * 1024;
const run = (script: string, less: Partial<BoundedRun> = {}) =>
  runBounded({
    ...{ program: 'sh', args: ['-c', script], cwd: '/', env: process.env, stdin: '' },
    ...{ ms: 20_000, output: MiB, file: MiB, memory: 512 * MiB },
    ...less,
  });
/** Returns whether a process runs. An ended process may wait for its parent. */
const runs = (id: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${id}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const isGone = (id: number) => expect.poll(() => runs(id), { timeout: 5_000 }).toBe(false);

describe('a bounded program', () => {
  test('gets its input, and answers with its code', async () => {
    expect(await run('cat; echo no >&2; exit 3', { stdin: 'a' })).toEqual({ exit: 3, stdout: Buffer.from('a'), stderr: 'no\n' });
    expect((await run('', { program: 'no-such-program' })).exit).toBe(127);
  });

  test('ends with all that it started: when it ends, when its time is up, and when it prints too much', async () => {
    const started = async (script: string, less?: Partial<BoundedRun>) => {
      const { stdout, stderr, over } = await run(`sleep 600 >/dev/null & echo $! >&2; ${script}`, less);
      await isGone(Number(stderr));
      return { bytes: stdout.length, over };
    };
    expect(await started('true')).toEqual({ bytes: 0, over: undefined });
    expect(await started('wait', { ms: 300 })).toEqual({ bytes: 0, over: 'time' });
    expect(await started('cat /dev/zero', { output: 1_000 })).toEqual({ bytes: 0, over: 'output' });
  });

  test('ends if this process is told to leave', async () => {
    const others = () => {};
    process.on('SIGHUP', others);
    try {
      const running = run('echo $$ >&2; exec sleep 600');
      const before = process.listenerCount('SIGHUP');
      process.emit('SIGHUP', 'SIGHUP');
      const { exit, over } = await running;
      expect([before, exit, over, process.listenerCount('SIGHUP')]).toEqual([2, 1, undefined, 1]);
    } finally {
      process.off('SIGHUP', others);
    }
  });

  test('writes no file beyond its bound', async () => {
    const { exit, stdout } = await run(
      'f=$(mktemp); (dd if=/dev/zero of=$f bs=65536 count=64) 2>/dev/null; wc -c <$f; rm $f; exit 4',
    );
    expect([exit, Number(stdout.toString())]).toEqual([4, MiB]);
  });
});
