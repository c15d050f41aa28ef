import { expect, test } from 'vitest';
import type { TwoStores } from './two-stores.js';

export function sequencesContract(stores: () => TwoStores): void {
  test('a state is begun once: by the run that was first, and none older after it', async () => {
    const { one, two } = stores();
    const infra = { workspace: 'w', infra: 'counted' };
    expect(await one.sequences.begin(infra, 'run-1')).toBe(1);
    expect(await two.sequences.begin(infra, 'run-1')).toBe(1);
    expect(await two.sequences.begin(infra, 'run-2', 2)).toBe(2);
    expect(await one.sequences.begin(infra, 'run-2', 2)).toBe(2);
    for (const [run, sequence] of [
      ['run-1', 1],
      ['run-9', 2],
      ['run-9', 1],
      ['run-9', 0],
    ] as const)
      await expect(one.sequences.begin(infra, run, sequence)).rejects.toMatchObject({ details: { code: 'state-superseded' } });
    // A run that ended and begins again, and a run from a version that did not count.
    expect(await one.sequences.begin(infra, 'run-3')).toBe(3);
    expect(await two.sequences.begin(infra, 'run-3')).toBe(3);
    expect(await one.sequences.begin({ ...infra, infra: 'former' }, 'run-1', 0)).toBe(0);
    expect(await one.sequences.begin({ ...infra, infra: 'former' }, 'run-2', 7)).toBe(7);
    expect(await one.sequences.begin({ ...infra, workspace: 'v' }, 'run-1')).toBe(1);
  });

  test('of all who begin the same state at once, one does', async () => {
    const { one, two } = stores();
    const infra = { workspace: 'w', infra: 'raced' };
    for (let sequence = 1; sequence <= 5; sequence++) {
      const asked = Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? one : two).sequences.begin(infra, `run-${sequence}-${index}`, sequence).catch((error) => error.details.code),
      );
      const answers = await Promise.all(asked);
      expect(answers.sort()).toEqual([sequence, ...Array(7).fill('state-superseded')]);
    }
    const fresh = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).sequences.begin(infra, `fresh-${index}`));
    const numbers = await Promise.all(fresh);
    expect([new Set(numbers).size, Math.min(...numbers) > 5]).toEqual([8, true]);
  });
}
