import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { workerIdentity } from '../core/names.js';
import { hasEnded } from './take-over.js';

describe('whether the worker of an activity has ended', () => {
  const dead = () => false;

  it('is said of those of this machine whose process is gone', () => {
    expect(hasEnded(workerIdentity('b1', 4711, hostname()), dead)).toBe(true);
    expect(hasEnded(workerIdentity('b1', process.pid, hostname()))).toBe(false);
  });

  it('is not said of those of which nothing can be known', () => {
    expect(hasEnded(workerIdentity('b1', 4711, 'elsewhere'), dead)).toBe(false);
    expect(hasEnded('4711@somebody', dead)).toBe(false);
    expect(hasEnded('', dead)).toBe(false);
  });
});
