import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUpstream } from '../../temporal-ui/upstream.js';
import { argumentsDuring, filesWith, newCanary, sightings } from '../support/canary.js';
import { type Outcome, provisioning, webUiOf } from '../support/command-line.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { shellOf, sweep, whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `canary-${process.pid}`;
/** Values of secrets, one stored and one from the environment. Both must be only on their hosts. */
const kept = newCanary();
const given = newCanary();
/** Plain text of a definition. It is not secret, but readers of the engine's file must not see it. */
const plain = newCanary();

interface Listed {
  executions: { execution: { workflowId: string; runId: string } }[];
}
interface PayloadJson {
  metadata: Record<string, string>;
  data?: string;
}

/** Returns all payloads in an answer of Temporal's API. */
function payloadsIn(value: unknown): PayloadJson[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && typeof value.metadata === 'object' && 'encoding' in (value.metadata ?? {}))
    return [value as PayloadJson];
  return Object.values(value).flatMap(payloadsIn);
}

describe.skipIf(why)('a canary in a definition', () => {
  let engine: TestEngine;
  let file: string;
  let applied: { samples: number; found: string[] };
  const outcomes: Outcome[] = [];
  const run = async (...args: string[]): Promise<Outcome> => {
    const outcome = await provisioning(engine, args);
    outcomes.push(outcome);
    return outcome;
  };

  beforeAll(async () => {
    engine = await startTestEngine({ PROVISIONING_SECRET_GIVEN: given });
    file = join(engine.home.root, '..', 'canary.json');
    const taskservs = [
      { name: 'redis', on: { server: 'a' }, config: { password: { secret: 'kept' } } },
      { name: 'redis', on: { server: 'b' }, config: { password: { secret: 'given' } } },
      { name: 'nginx', on: { server: 'a' }, config: { page: `<p>${plain}</p>` } },
    ];
    const servers = [{ name: 'a' }, { name: 'b' }];
    await writeFile(file, JSON.stringify({ infra: INFRA, provider: 'local', servers, taskservs }));
    expect((await provisioning(engine, ['secret', 'set', 'kept'], kept)).code).toBe(0);
    const apply = async () => {
      const { code, stdout, stderr } = await run('apply', file, '--yes', '--json');
      expect(code, `${stdout}${stderr}`).toBe(0);
    };
    let other = { samples: 0, found: [] as string[] };
    applied = await argumentsDuring(kept, async () => {
      other = await argumentsDuring(given, apply);
    });
    applied.found.push(...other.found);
  });
  afterAll(async () => {
    if (!engine) return;
    await engine.stop();
    await sweep(INFRA);
  });

  test('arrives on its hosts', async () => {
    const conf = (server: string) => shellOf(INFRA, server)('cat /etc/redis/redis.conf');
    expect(await conf('a')).toContain(kept);
    expect(await conf('b')).toContain(given);
    expect(await shellOf(INFRA, 'a')('cat /srv/www/index.html')).toContain(plain);
  });

  test('is in no arguments of any process', () => {
    expect(applied.samples).toBeGreaterThan(1_000);
    expect(applied.found).toEqual([]);
  });

  test('is in no file of the engine, no log, no large payload', async () => {
    const { root } = engine.home;
    expect(await filesWith(plain, root)).toEqual([]);
    for (const secret of [kept, given]) expect(await filesWith(secret, root, ['secrets'])).toEqual([]);
  });

  test('whose value is secret is in no output', async () => {
    const { executions } = await list();
    const operation = executions.map(({ execution }) => execution.workflowId).find((id) => id.startsWith('cluster-ensure')) ?? '';
    await run('workflow', 'list', '--json');
    await run('workflow', 'status', operation, '--json');
    await run('inventory', INFRA, '--json');
    await run('logs', operation, '--json');
    await run('logs', 'worker', '--json');
    await run('apply', file, '--check', '--json');
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0));
    const said = outcomes.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    for (const secret of [kept, given]) expect(sightings(secret, said)).toEqual([]);
    expect(sightings(plain, said)).toContain('raw');
  });

  const api = `/api/v1/namespaces/provisioning/workflows`;
  const list = async (): Promise<Listed> => {
    const ui = await webUiOf(engine);
    try {
      return (await ui.get(api)) as Listed;
    } finally {
      await ui.end();
    }
  };

  test('is not in the Web UI, and readable by way of `provisioning ui`, without the secrets', async () => {
    const ui = await webUiOf(engine);
    expect((await fetch(ui.url)).status).toBe(401);
    const seen: string[] = [];
    const decoded: string[] = [];
    for (const { execution } of ((await ui.get(api)) as Listed).executions) {
      const at = `${api}/${encodeURIComponent(execution.workflowId)}`;
      for (const path of [`${at}?execution.runId=${execution.runId}`, `${at}/history?execution.runId=${execution.runId}`]) {
        const { base, fetch: look } = parseUpstream(ui.target);
        const plainly = await look(new Request(`${base}${path}`));
        expect(plainly.status).toBe(200);
        seen.push(await plainly.text());
        expect((await fetch(`${ui.origin}${path}`)).status).toBe(401);
        const payloads = payloadsIn(await ui.get(path));
        const answer = (await ui.post('/codec/decode', { payloads })) as { payloads: PayloadJson[] };
        decoded.push(...answer.payloads.map(({ data }) => Buffer.from(data ?? '', 'base64').toString('utf8')));
      }
    }
    expect(seen.length).toBeGreaterThan(2);
    for (const canary of [plain, kept, given]) expect(sightings(canary, seen.join('\n'))).toEqual([]);
    expect(sightings(plain, decoded.join('\n'))).toContain('raw');
    for (const secret of [kept, given]) expect(sightings(secret, decoded.join('\n'))).toEqual([]);
    // Texts on the page of an operation: its summary and the summary of each activity.
    expect(decoded).toContain(`"Apply infra ${INFRA}"`);
    expect(decoded.some((text) => /^"redis on a: \d+ steps/.test(text))).toBe(true);
    expect(await ui.end()).toBe(0);
  });
});
