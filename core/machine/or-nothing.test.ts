import { describe, expect, test, vi } from 'vitest';
import { inputError, unreachableError } from '../errors.js';
import { createAtomically } from './or-nothing.js';

const refusal = inputError({ code: 'quota-exceeded', what: 'make the server', on: 'web', why: 'enough' });
const transient = unreachableError({ code: 'busy', what: 'delete the volume', on: 'web', why: 'busy', retryAfterMs: 30 });
const rejects = (error: unknown) => async () => Promise.reject(error);

/** Result: the error, the number of removals, and the pauses between them. */
async function outcome(error: unknown, takings: (unknown | undefined)[]) {
  const pauses: number[] = [];
  const takeAway = vi.fn(async () => {
    const problem = takings.shift();
    if (problem) throw problem;
  });
  const pause = async (ms: number) => void pauses.push(ms);
  const thrown = await createAtomically({ make: rejects(error), takeAway, pause }).catch((one: unknown) => one);
  return { thrown, taken: takeAway.mock.calls.length, pauses };
}

describe('what is made of several pieces', () => {
  test('is left alone where it is made', async () => {
    const takeAway = vi.fn();
    expect(await createAtomically({ make: async () => 'made', takeAway, pause: async () => {} })).toBe('made');
    expect(takeAway).not.toHaveBeenCalled();
  });

  test('is taken away where it is refused, and the refusal is what is said', async () => {
    expect(await outcome(refusal, [])).toEqual({ thrown: refusal, taken: 1, pauses: [] });
    expect(await outcome(refusal, [transient])).toEqual({ thrown: refusal, taken: 2, pauses: [30] });
    expect(await outcome(refusal, [transient, transient, transient])).toEqual({ thrown: refusal, taken: 3, pauses: [30, 30] });
    expect(await outcome(refusal, [new Error('denied')])).toEqual({ thrown: refusal, taken: 1, pauses: [] });
  });

  test('stays for the next try where that may succeed', async () => {
    expect(await outcome(transient, [])).toEqual({ thrown: transient, taken: 0, pauses: [] });
    const abort = new DOMException('stop', 'AbortError');
    expect(await outcome(abort, [])).toEqual({ thrown: abort, taken: 0, pauses: [] });
  });
});
