import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { isAlive, readProcessMark, stop } from './process.js';

async function start(script: string) {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const mark = readProcessMark(child.pid ?? 0);
  if (!mark) throw new Error('it should run');
  return { child, mark };
}

describe('a recorded process', () => {
  test('is recognised by pid and start time; another one with its pid is not', async () => {
    const { child, mark } = await start("console.log('up'); setInterval(() => {}, 1000)");
    expect(isAlive(mark)).toBe(true);
    expect(isAlive({ ...mark, started: 'at another time' })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(mark)).toBe(false);
  });

  test('is stopped gently', async () => {
    const { mark } = await start("console.log('up'); setInterval(() => {}, 1000)");
    expect(await stop(mark, 5_000)).toBe('stopped');
    expect(await stop(mark, 5_000)).toBe('absent');
  });

  test('that ignores SIGTERM is killed after the grace time', async () => {
    const { mark } = await start("process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)");
    expect(await stop(mark, 200)).toBe('killed');
    expect(isAlive(mark)).toBe(false);
  });

  test('whose pid was given to another one is left alone', async () => {
    const { child, mark } = await start("console.log('up'); setInterval(() => {}, 1000)");
    expect(await stop({ ...mark, started: 'at another time' }, 100)).toBe('absent');
    expect(isAlive(mark)).toBe(true);
    child.kill('SIGKILL');
  });
});
