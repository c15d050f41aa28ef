import { expect, test } from 'vitest';
import { translateWorkspace } from '../../core/tenant-names.js';
import type { Principal } from '../principal.js';
import { leaveTenant } from './leave-tenant.js';

const TENANT = 'abcdefgh';
const ann = { actor: 'ann', tenant: TENANT, may: () => true } as Principal;

/** The first answer that a caller gets. */
async function first(answer: unknown, principal = ann): Promise<unknown> {
  const answers = (async function* () {
    yield answer;
  })();
  for await (const left of leaveTenant(answers, principal)) return left;
}

test('an event that many followers of a tenant get is one object for all of them', async () => {
  const event = { cursor: 'c', workspace: translateWorkspace(TENANT, 'shop') };
  const shown = await first(event);
  expect(shown).toEqual({ cursor: 'c', workspace: 'shop' });
  expect(await first(event)).toBe(shown);
  expect(event.workspace).not.toBe('shop');
  expect(await first(event, { ...ann, tenant: 'hgfedcba' })).not.toBe(shown);
  expect(await first(event, { ...ann, tenant: '' })).toBe(event);
  expect(await first('plain')).toBe('plain');
});
