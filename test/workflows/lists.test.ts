import { describe, expect, test } from 'vitest';
import { createDispatcher } from '../../app/dispatch.js';
import type { Engine } from '../../app/engine.js';
import type { Page } from '../../app/lists/page.js';
import { createOwner } from '../../app/principal.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually } from '../support/operations.js';

type Row = { operation: string };

describe('a list of operations on a real engine', () => {
  let engine: TestEngine;
  withDemoEngine((started) => {
    engine = started;
  });

  test('is paged while operations come, and a token that Temporal did not make is no cursor', async () => {
    const start = (id: string) =>
      engine.temporal.workflow.start('cluster', {
        workflowId: id,
        // Where no worker is: none of them begins or ends.
        taskQueue: 'nowhere',
        args: [{}],
        typedSearchAttributes: attributesFrom({ kind: 'cluster', workspace: 'paged', infra: 'shop', actor: 'ann@desk' }),
      });
    const { call } = createDispatcher({
      engine: { temporal: engine.temporal, stores: {} } as unknown as Engine,
      principal: createOwner('ann@desk'),
      checksAnswers: true,
    });
    const page = async (input: object) => (await call('operations.list', { workspace: 'paged', ...input })) as Page<Row>;
    const ids = Array.from({ length: 5 }, (_, index) => `cluster-ensure-paged-${index}`);
    for (const id of ids) await start(id);
    await eventually(async () => expect((await page({})).items).toHaveLength(5));

    const seen: string[] = [];
    const first = await page({ limit: 2 });
    for (let { items, next } = first; ; ) {
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ operation }) => operation));
      if (next === undefined) break;
      if (seen.length === 2) await start('cluster-ensure-paged-newer');
      ({ items, next } = await page({ limit: 2, after: next }));
    }
    expect(seen).toEqual(ids.reverse());

    const [tag, place] = JSON.parse(Buffer.from(first.next ?? '', 'base64url').toString());
    for (const token of ['AAAA', Buffer.from('{"CloseTime":7}').toString('base64')]) {
      const after = Buffer.from(JSON.stringify([tag, { ...place, token }])).toString('base64url');
      const code = await page({ after }).then(
        ({ items }) => `${items.length} items`,
        (error) => error.details.code,
      );
      expect(code).toBe('bad-cursor');
    }
  });
});
