import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { SharedReads } from './shared-reads.js';

test('each call gets a read that began after it, and a subject has one read at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 }), async (scheduler, subjects) => {
      const reads = new SharedReads();
      const [begun, atWork] = [new Map<string, number>(), new Set<string>()];
      let moment = 0;
      const read = (subject: string) =>
        reads.read(subject, async () => {
          expect(atWork.has(subject)).toBe(false);
          atWork.add(subject);
          begun.set(subject, (begun.get(subject) ?? 0) + 1);
          const at = ++moment;
          await scheduler.schedule(Promise.resolve());
          atWork.delete(subject);
          if (at % 5 === 0) throw new Error(`read ${at}`);
          return at;
        });
      const calls = subjects.map(async (subject) => {
        await scheduler.schedule(Promise.resolve());
        const called = moment;
        const at = await read(subject).catch((error: Error) => Number(error.message.split(' ')[1]));
        expect(at).toBeGreaterThan(called);
      });
      await scheduler.waitFor(Promise.all(calls));
      for (const subject of begun.keys())
        expect(begun.get(subject)).toBeLessThanOrEqual(subjects.filter((one) => one === subject).length);
    }),
  );
});

test('calls at the same time cost two reads', async () => {
  const reads = new SharedReads();
  let count = 0;
  const read = async () => {
    count += 1;
    await new Promise(setImmediate);
  };
  await Promise.all(Array.from({ length: 50 }, () => reads.read('a', read)));
  expect(count).toBe(2);
});
