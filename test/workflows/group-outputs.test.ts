import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

/** A service whose members would make a token, if they served: hosts of the demo provider run no scripts. */
const CREW = `
import { defineTaskserv, fact } from 'provisioning/sdk';
import * as z from 'zod';
export default defineTaskserv({
  name: 'crew', category: 'system', description: 'Members that know each other.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({}),
  facts: () => ({}),
  installed: () => undefined,
  plan: () => [],
  health: () => [],
  remove: () => [],
  group: {
    of: () => 'main',
    quorum: 'one',
    facts: () => ({ up: fact('cat /srv/up', ({ stdout }) => stdout, '') }),
    standing: ({ up }) => ({ serves: up !== '', ...(up && { group: up }) }),
    shares: { token: { title: 'Make a token', lifetimeSeconds: 3600, make: () => 'make-token' } },
  },
});
`;
const define = (share: string) => `infra: shop
provider: demo
servers: [{ name: a }]
taskservs: [crew]
outputs:
  plain: here
  join-token: { value: { share: ${share}, of: crew }, description: For other machines }
`;

describe('an output that is a share of a group', () => {
  let engine: TestEngine;
  let workspace: TestWorkspace;

  beforeAll(async () => {
    engine = await startTestEngine();
    workspace = await workspaceOf(engine, { 'infra/shop.yaml': define('token'), 'taskservs/crew/crew.ts': CREW });
  });
  afterAll(async () => {
    await engine?.stop();
    await workspace?.remove();
  });

  test('is checked with the definition', async () => {
    await workspace.write('infra/wrong.yaml', define('tokn'));
    const { code, stdout } = await workspace.run('validate', 'infra/wrong.yaml');
    expect([code, stdout]).toEqual([2, expect.stringContaining('the group of "crew" has no share "tokn"; did you mean "token"?')]);
  });

  test('is applied, listed without a value, and refused with one clear error as long as no member serves', {
    timeout: 120_000,
  }, async () => {
    const applied = await workspace.json('apply', 'infra/shop.yaml', '--yes');
    const share = { name: 'token', taskserv: 'crew', group: 'main' };
    expect([applied.status, applied.outputs]).toEqual([
      'done',
      { plain: { value: 'here' }, 'join-token': { description: 'For other machines', share } },
    ]);
    const { code, stdout, stderr } = await workspace.run('output', 'join-token', '--reveal');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^error: cannot give the share "token" \(Make a token\): main: no member of the crew group "main" can make it now/m,
    );
    const client = await engine.client();
    const ask = (output: string) => client.infras.revealOutput({ workspace: 'default', infra: 'shop', output });
    const failure = (detail: string) => ({ details: expect.objectContaining({ code: 'unknown-output', why: detail }) });
    await expect(ask('plain')).rejects.toMatchObject(failure('it is no share of a group'));
    await expect(ask('constructor')).rejects.toMatchObject(failure('the definition of "shop" has no such output'));
    await expect(client.infras.revealOutput({ workspace: 'default', infra: 'none', output: 'x' })).rejects.toMatchObject({
      details: expect.objectContaining({ code: 'unknown-infra' }),
    });
  });

  test('is recorded as a call that reveals a secret', async () => {
    const calls = await workspace.json('audit', 'list');
    const text = JSON.stringify(calls);
    expect(text).toContain('infras.revealOutput');
    expect(text).toContain('secret:reveal');
  });
});
