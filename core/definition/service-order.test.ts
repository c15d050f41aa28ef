import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import type { ServerSpec, TaskservSpec } from './definition.js';
import { globalOrder, servicesInOrder } from './service-order.js';

const AFTER: Record<string, string[]> = { a: [], b: ['a'], c: ['a', 'x'], d: ['c', 'b'], e: [] };

test('services come taskserv by taskserv in dependency order, each by the names of its servers', () => {
  const server = fc.record({
    name: fc.stringMatching(/^[a-z]{1,3}-\d{1,2}$/),
    taskservs: fc.subarray(Object.keys(AFTER)),
  });
  fc.assert(
    fc.property(fc.uniqueArray(server, { selector: ({ name }) => name, maxLength: 12 }), (servers) => {
      const ensureServices = servers.map(({ name, taskservs }) => ({
        server: { name } as ServerSpec,
        taskservs: taskservs.map((one) => ({ name: one, after: AFTER[one] }) as TaskservSpec),
      }));
      const order = globalOrder({ ensureServices });
      const rows = servicesInOrder({ ensureServices }).map(({ server: { name }, spec }) => [spec.name, name] as const);
      // Said once more, as one would say it if there were few.
      const plain = servers.flatMap(({ name, taskservs }) => taskservs.map((one) => [one, name] as const));
      plain.sort(([a, x], [b, y]) => order.indexOf(a) - order.indexOf(b) || (x < y ? -1 : 1));
      expect(rows).toEqual(plain);
      rows.forEach(([taskserv], index) => {
        for (const before of AFTER[taskserv] ?? []) expect(rows.slice(index).map(([name]) => name)).not.toContain(before);
      });
    }),
  );
});
