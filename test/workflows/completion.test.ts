import { describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { run } from '../support/operations.js';

describe('completion, asked of a running engine', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  withDemoEngine((started) => {
    engine = started;
  });

  const offered = async (...words: string[]) => {
    const { code, stdout, stderr } = await provisioning(engine, ['__complete', '--', ...words]);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n').slice(1, -1);
  };

  test('offers its infras, servers and operations, and without it only what is known anyway', async () => {
    const { operation } = await run(engine, {
      infra: 'shop',
      definition: demoDefinition('shop', { servers: [{ name: 'web-1' }] }),
    });
    expect(await offered('inventory', '')).toEqual(['shop']);
    expect(await offered('server', 'ssh', 'w')).toEqual(['web-1']);
    expect(await offered('server', 'list', '--infra=s')).toEqual(['--infra=shop']);
    expect(await offered('workflow', 'status', '')).toContain(operation);
    const alone = { env: { ...engine.env, PROVISIONING_HOME: '/nowhere/at/all' } };
    expect((await provisioning(alone, ['__complete', '--', 'inventory', ''])).stdout).toBe('words\n');
  });
});
