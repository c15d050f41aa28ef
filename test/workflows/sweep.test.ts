import { randomBytes } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepResult } from '../../core/engine/backup.js';
import { LARGE } from '../../encryption/payload-codec.js';
import { payloadFiles } from '../../stores/files/payload-files.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { runWell } from '../support/operations.js';

const HOUR_MS = 3_600_000;
const random = () => randomBytes(LARGE).toString('base64');

describe('a sweep of the payload store', () => {
  let engine: TestEngine;
  /** Payload files that histories refer to. */
  let referred: string[];
  const kept = async () => (await readdir(engine.home.payloads, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));
  /** Dates all payloads back by so many hours. */
  const age = async (hours: number) => {
    const then = new Date(Date.now() - hours * HOUR_MS);
    for (const name of await kept()) await utimes(join(engine.home.payloads, name), then, then);
  };
  const sweep = async (...more: string[]) => {
    const { code, stdout, stderr } = await provisioning(engine, ['backup', 'sweep', '--json', ...more]);
    const result = JSON.parse(stdout) as SweepResult;
    expect([code, stderr]).toEqual([result.missing.length > 0 ? 1 : 0, '']);
    return result;
  };
  /** Stores a payload that no history names. */
  const lose = (namespace = 'provisioning') =>
    engine.encryption
      .codec(namespace, engine.payloads)
      .encode([defaultPayloadConverter.toPayload(random()) as Payload], { type: 'workflow', workflowId: 'lost', namespace });
  const page = random();
  const definition = () => {
    const made = demoDefinition('shop', { servers: [{ name: 'web', taskservs: ['nginx'] }] });
    Object.assign(made.servers[0]?.taskservs[0]?.config as object, { page });
    return made;
  };

  beforeAll(async () => {
    engine = await startTestEngine();
    await runWell(engine, { infra: 'shop', definition: definition() });
    // Inputs of local activities are large too, and are in no history.
    await age(48);
    await sweep('--yes');
    referred = (await kept()).sort();
  });
  afterAll(() => engine?.stop());

  test('removes what no history refers to, once it is old, and nothing else', async () => {
    expect(referred.length).toBeGreaterThan(0);
    await lose();
    expect(await kept()).toHaveLength(referred.length + 1);
    const nothing = { count: 0, bytes: 0 };
    expect(await sweep('--yes')).toMatchObject({ garbage: nothing, young: { count: 1 }, missing: [] });

    await age(48);
    const looked = await sweep('--check');
    expect(looked).toMatchObject({ removed: false, garbage: { count: 1 }, young: nothing, missing: [] });
    expect(looked.histories).toBeGreaterThan(1);
    expect(looked.garbage.bytes).toBeGreaterThan(LARGE);
    expect((await sweep('--check', '--grace', '72')).garbage).toEqual(nothing);
    expect(await kept()).toHaveLength(referred.length + 1);

    expect(await sweep('--yes')).toMatchObject({ removed: true, garbage: { count: 1 } });
    expect((await kept()).sort()).toEqual(referred);
    const again = await runWell(engine, { infra: 'shop', definition: definition() });
    expect(again.steps).toEqual({ executed: 0, planned: 0 });
  });

  test('leaves what is of another namespace', async () => {
    await lose('another');
    await age(48);
    expect(await sweep('--yes')).toMatchObject({ foreign: { count: 1 } });
    expect((await sweep('--check')).foreign.count).toBe(1);
  });

  test('says what a history refers to and is gone', async () => {
    const store = payloadFiles(engine.home.payloads);
    const sha256 = (referred[0] ?? '').slice(-64);
    const bytes = (await store.get(sha256)) as Uint8Array;
    expect(await store.remove(sha256, new Date(Date.now() + HOUR_MS))).toBe(true);
    expect((await sweep('--check')).missing).toEqual([sha256]);
    await store.put(sha256, bytes);
    expect((await sweep('--check')).missing).toEqual([]);
  });

  test('asks before it removes, and is refused a grace that is too short', async () => {
    const asked = await provisioning(engine, ['backup', 'sweep']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const short = await provisioning(engine, ['backup', 'sweep', '--check', '--grace', '0']);
    expect(short.code).toBe(2);
  });
});
