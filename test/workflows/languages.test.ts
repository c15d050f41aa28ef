import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { findKcl, findNickel } from '../support/languages.js';

const here = { programs: '', folders: [] as string[] };
const LANGUAGES = { yaml: here, toml: here, json: here, ts: here, k: await findKcl(), ncl: await findNickel() };

describe('one infra in six languages', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let folder: string;
  withDemoEngine((started) => {
    engine = started;
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'languages-'));
    await cp(join(import.meta.dirname, '../../examples/languages'), folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function planOf(ending: string, { programs, folders }: typeof here): Promise<string> {
    const PATH = programs ? `${programs}:${process.env.PATH}` : process.env.PATH;
    const env = { ...engine.env, PATH, PROVISIONING_LANGUAGES_FOLDERS: folders.join(',') };
    const { code, stdout, stderr } = await provisioning({ env }, ['apply', `shop.${ending}`, '--check', '--json'], '', folder);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { plan } = JSON.parse(stdout) as { plan: unknown[] };
    expect(plan.length).toBeGreaterThan(3);
    return JSON.stringify(plan);
  }

  test('has one plan, byte for byte', async () => {
    const plans: Record<string, string> = {};
    for (const [ending, tool] of Object.entries(LANGUAGES)) {
      if ('why' in tool) console.warn(tool.why);
      else plans[ending] = await planOf(ending, tool);
    }
    console.log(`plans of one infra: ${Object.keys(plans).join(', ')}; ${plans.yaml?.length} characters each`);
    expect(Object.keys(plans)).toEqual(expect.arrayContaining(['yaml', 'toml', 'json', 'ts']));
    for (const plan of Object.values(plans)) expect(plan).toBe(plans.yaml);
  });
});
