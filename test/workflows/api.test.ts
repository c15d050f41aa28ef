import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import { down } from '../../workers/engine/down.js';
import { readRecord } from '../../workers/engine/record.js';
import { type ApiAnswer, addAccount, createApiRequests } from '../support/api-requests.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { FINDS_NOTHING, listByQuotes } from '../support/list-by-quotes.js';
import { eventually, requestOf } from '../support/operations.js';
import { runPackedClient } from '../support/packed-client.js';
import { PYTHON_CHECK, runPythonClient, whyNoPython } from '../support/python-client.js';
import { childrenIn, createRemoteHome, killApiServer, startApiServer, startPrintingServer } from '../support/remote-home.js';
import { playPlatforms } from '../support/remote-platforms.js';
import { playTenant } from '../support/tenant-commands.js';

const noPython = await whyNoPython();
if (noPython) console.warn(`left out: ${noPython}`);

describe('a server of the API beside an engine', () => {
  let engine: TestEngine;
  let server: ChildProcess;
  let url: string;
  let trust: string;
  let headers: Record<string, string>;
  let agent: Agent;
  const logged: string[] = [];

  beforeAll(async () => {
    engine = await startTestEngine();
    const started = await startPrintingServer(engine, '127.0.0.1:0');
    const { said } = started;
    server = started.server;
    server.stderr?.setEncoding('utf8').on('data', (text: string) => logged.push(text));
    url = said.API ?? '';
    trust = said.trust ?? '';
    agent = new Agent({ ca: await readFile(trust), keepAlive: true });
    headers = {};
    const { token } = await well<{ token: string }>('POST', '/v1/first-administrator', { code: said.code });
    headers = { authorization: `Bearer ${token}` };
    const again = await ask('POST', '/v1/first-administrator', { code: said.code });
    expect([again.status, again.body]).toMatchObject([401, { code: 'code-refused' }]);
  });
  afterAll(async () => {
    agent?.destroy();
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill('SIGKILL');
      await once(server, 'close');
    }
    await engine?.stop();
  });

  const { open, ask, well, result, follow } = createApiRequests(() => ({ url, agent, headers }));

  const { actor: _, ...asked } = requestOf({
    infra: 'remote',
    // Until the approval it cannot end, however late the first look at it is.
    approve: ['before-change'],
    definition: demoDefinition('remote', { servers: [{ name: 'web', count: 2 }], taskservs: [{ name: 'nginx', on: 'all' }] }),
  });

  test('previews a plan and applies it, follows the operation over a cut, lists it and deletes the infra', async () => {
    const preview = await well<{ operation: string }>('POST', '/v1/plans', { request: asked });
    const plan = await result<{ hash: string; places: unknown[] }>(`/v1/plans/${encodeURIComponent(preview.operation)}`);
    expect(plan.places.length).toBeGreaterThan(1);
    const { operation } = await well<{ operation: string }>('POST', '/v1/plans/apply', { request: asked, hash: plan.hash });

    const path = `/v1/operations/${encodeURIComponent(operation)}`;
    const [first] = await follow(`${path}/follow`, { count: 1 });
    expect(first?.id).toBeDefined();
    const waiting = [first, ...(await follow(`${path}/follow`, { after: first?.id as string }))];
    const last = waiting.findLast((event) => event?.id !== undefined);
    expect(last?.data.type).toBe('waiting');
    expect(waiting.slice(1).map((event) => event?.id)).not.toContain(first?.id);
    await well('POST', `${path}/approve`, { approved: true, plan: plan.hash });
    const rest = await follow(`${path}/follow`, { after: last?.id as string });
    expect(rest.at(-1)).toMatchObject({ event: 'end' });
    expect(rest.at(-2)?.data).toMatchObject({ type: 'end', result: { status: 'done' } });
    expect(rest.map(({ id }) => id)).not.toContain(last?.id);
    const ended = await result<OperationResult>(`${path}/result`);
    expect(ended).toEqual(rest.at(-2)?.data.result);
    const asBatch = await ask('GET', `/v1/batches/${encodeURIComponent(operation)}/result`);
    expect([asBatch.status, asBatch.body]).toMatchObject([404, { code: 'unknown-operation' }]);

    const inventory = await well<{ servers: object }>('GET', '/v1/workspaces/default/infras/remote/inventory');
    expect(Object.keys(inventory.servers)).toHaveLength(2);
    const listed = await well<{ items: { operation: string; actor: string }[] }>(
      'GET',
      '/v1/operations?workspace=default&limit=10',
    );
    const found = listed.items.find((item) => item.operation === operation);
    expect(found?.actor).toBe('service-account:admin');

    const removal = { ...requestOf({ infra: 'remote', intent: { verb: 'delete' }, allowDestroy: true }), actor: undefined };
    const deleted = await well<{ operation: string }>('POST', '/v1/operations', { request: removal });
    expect(await result(`/v1/operations/${encodeURIComponent(deleted.operation)}/result`)).toMatchObject({ status: 'done' });
    // The entity of the infra ends after the operation, and lists follow it.
    await expect.poll(() => well('GET', '/v1/workspaces/default/infras'), { timeout: 60_000 }).toEqual({ items: [] });
  });

  test('records calls that change something by their principal', async () => {
    const { items } = await well<{ items: { actor: string; method: string; outcome: string }[] }>('GET', '/v1/audit');
    const applied = items.filter(({ method }) => method === 'plans.apply');
    expect(applied.map(({ outcome }) => outcome).sort()).toEqual(['asked', 'done']);
    for (const { actor } of applied) expect(actor).toBe('service-account:admin');
  });

  test('two tenants apply infras of one name in workspaces of one name, and see only their own', async () => {
    const administrator = headers;
    const sides: { tenant: string; headers: Record<string, string>; server: string; operation: string }[] = [];
    for (const tenant of ['acme', 'brown']) {
      await well('POST', '/v1/tenants', { tenant, providers: ['demo'] });
      await well('POST', '/v1/service-accounts/create', { account: 'admin', tenant });
      await well('POST', '/v1/service-accounts/bind', { account: 'admin', tenant, role: 'admin', workspace: '*' });
      const { token } = await well<{ token: string }>('POST', '/v1/tokens/create', { account: 'admin', tenant });
      sides.push({ tenant, headers: { authorization: `Bearer ${token}` }, server: `${tenant}-web`, operation: '' });
    }
    const path = (operation: string, rest = '') => `/v1/operations/${encodeURIComponent(operation)}${rest}`;
    for (const side of sides) {
      headers = side.headers;
      const servers = [{ name: side.server }];
      const definition = demoDefinition('remote', { servers, taskservs: [{ name: 'nginx', on: 'all' }] });
      const { actor: _, ...request } = requestOf({ infra: 'remote', definition, id: 'cluster-ensure-remote-same' });
      side.operation = (await well<{ operation: string }>('POST', '/v1/operations', { request })).operation;
    }
    const place = '/v1/workspaces/default/infras';
    for (const side of sides) {
      headers = side.headers;
      const other = sides.find((one) => one !== side) as typeof side;
      expect(await result(path(side.operation, '/result'))).toMatchObject({ status: 'done', workspace: 'default' });
      // The id that was asked for means the caller's own.
      expect(await well('GET', path('cluster-ensure-remote-same', '/result'))).toMatchObject({ operation: side.operation });
      const inventory = await well<{ servers: object }>('GET', `${place}/remote/inventory`);
      expect(Object.keys(inventory.servers)).toEqual([side.server]);
      expect(await well('GET', '/v1/workspaces')).toEqual({ items: [{ name: 'default', infras: 1 }] });
      expect(await well('GET', place)).toEqual({ items: ['remote'] });
      const own = ['', '/request', '/logs'].map((rest) => path(side.operation, rest));
      const lists = ['/v1/operations?checks=true', '/v1/operations?workspace=default', '/v1/batches', '/v1/service-accounts'];
      const asks = [...own, ...lists, `${place}/remote/locks`, `${place}/remote/definitions`].map((one) => ask('GET', one));
      const answers = await Promise.all(asks);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const text = JSON.stringify(answers);
      for (const name of ['tenant--', other.server, other.operation, `@${other.tenant}`]) expect(text).not.toContain(name);
      expect(await listByQuotes(ask)).toEqual(FINDS_NOTHING);
      const [stranger, nobody] = [await ask('GET', path(other.operation)), await ask('GET', path('cluster-ensure-x.t-abcdefgh'))];
      expect([stranger.status, nobody.status]).toEqual([404, 404]);
      const strip = (answer: ApiAnswer, id: string) => {
        const { request: _request, instance: _instance, ...body } = answer.body as Record<string, unknown>;
        return JSON.stringify(body).replaceAll(id, 'ID');
      };
      expect(strip(stranger, other.operation)).toBe(strip(nobody, 'cluster-ensure-x.t-abcdefgh'));
    }
    headers = administrator;
    expect(JSON.stringify(await ask('GET', '/v1/operations'))).not.toContain('remote-same');
    expect(await ask('DELETE', '/v1/tenants/acme')).toMatchObject({ status: 409, body: { code: 'tenant-in-use' } });
    for (const side of sides) {
      headers = side.headers;
      const removal = { ...requestOf({ infra: 'remote', intent: { verb: 'delete' }, allowDestroy: true }), actor: undefined };
      const deleted = await well<{ operation: string }>('POST', '/v1/operations', { request: removal });
      expect(await result(path(deleted.operation, '/result'))).toMatchObject({ status: 'done' });
    }
    headers = administrator;
    await expect.poll(async () => (await ask('DELETE', '/v1/tenants/acme')).status, { timeout: 60_000 }).toBe(200);
    headers = sides[0]?.headers ?? {};
    await expect.poll(async () => (await ask('GET', '/v1/operations')).status, { timeout: 20_000 }).toBe(401);
    headers = administrator;
  });

  test('refuses an actor, a stranger and plain HTTP', async () => {
    const forged = await ask('POST', '/v1/operations', { request: { ...asked, actor: 'root@host' } });
    expect(forged).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    const stranger = await open('GET', '/v1/operations', { authorization: 'Bearer prov_1_guess' });
    expect([stranger.resume().statusCode, stranger.headers['www-authenticate']]).toEqual([401, 'Bearer realm="provisioning"']);
    await expect(fetch(url.replace('https:', 'http:'))).rejects.toThrow();
  });

  test('has a document and a reference', async () => {
    expect((await well<{ openapi: string }>('GET', '/openapi.json')).openapi).toBe('3.1.0');
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']) {
      const page = await open('GET', path);
      expect([path, page.resume().statusCode]).toEqual([path, 200]);
    }
    expect(await well('GET', '/health/ready')).toEqual({ status: 'ready' });
  });

  test('connects again if the engine starts under another address', async () => {
    const addressNow = async () => (await readRecord(engine.home))?.address;
    const before = await addressNow();
    await engine.killWorker();
    await engine.killServer();
    await down(engine.home);
    const [, port] = before?.split(':') ?? [];
    const stranger = createServer();
    // The system may not have released the port yet.
    await eventually(async () => {
      stranger.listen(Number(port), '127.0.0.1');
      await once(stranger, 'listening');
    });
    try {
      await engine.up();
      expect(await addressNow()).not.toBe(before);
      await expect.poll(async () => (await ask('GET', '/v1/operations?limit=1')).status, { timeout: 60_000 }).toBe(200);
      expect(logged.splice(0).join('')).toContain(`connected to the engine at ${await addressNow()}\n`);
    } finally {
      stranger.close();
    }
  });

  test('another home works with a context and a token alone, also while the server is killed and comes back', async () => {
    const remote = await createRemoteHome();
    const { json } = remote;
    const { id, token } = await addAccount({ well }, 'ann', ['deployer', 'approver']);
    expect((await remote.run(['context', 'add', 'lab', '--server', url, '--ca', trust])).code).toBe(0);
    await json(['login', '--context', 'lab', '--token', '-'], { input: token });
    await json(['context', 'use', 'lab']);
    const me = await json<{ roles: { role: string }[]; token: object }>(['whoami']);
    expect([me.roles.map(({ role }) => role).sort(), me.token]).toMatchObject([['approver', 'deployer'], { id }]);

    const file = join(remote.folder, 'far.yaml');
    const secret = `demo-${id}`;
    await writeFile(file, 'infra: far\nprovider: demo\nservers:\n  - name: web\n    count: 2\n    taskservs: [nginx, redis]\n');
    await json(['secret', 'set', 'far-password'], { input: secret });
    expect(JSON.stringify(await json(['secret', 'list']))).toContain('far-password');
    await json(['apply', file, '--check']);
    const waiting = await json<{ operation: string }>(['apply', file, '--yes', '--approve', 'before-change'], { code: 4 });
    const account = demoAccount(engine);
    await account.behave({ latencyMs: { 'host.step': 1_500 } });
    await json(['workflow', 'approve', waiting.operation, '--no-wait']);
    const following = remote.start(['workflow', 'follow', waiting.operation]);
    await expect.poll(() => following.stdout(), { timeout: 60_000 }).not.toBe('');
    await killApiServer(server);
    server = await startApiServer(engine, new URL(url).host);
    await account.behave({});
    const followed = await following.ended;
    expect([followed.code, followed.code === 0 ? '' : followed]).toEqual([0, '']);
    expect(followed.stderr).toMatch(/the server does not answer: waiting up to 120 s[\s\S]*the server answers again/);

    expect(JSON.stringify(await json(['cluster', 'list']))).toContain('far');
    expect(await json(['down'], { code: 2 })).toMatchObject({ error: { code: 'needs-this-machine' } });
    await json(['delete', 'far', '--yes', '--allow-destroy']);
    await well('POST', `/v1/tokens/${id}/revoke`, {});
    const refused = () => remote.run(['secret', 'list', '--json']).then(({ stdout }) => JSON.parse(stdout).error?.code);
    await expect.poll(refused, { timeout: 60_000 }).toBe('bad-token');
    await remote.remove();
  });

  test('an account of a tenant works by the commands, and a freeze of its environment holds it', () =>
    playTenant({ well, url, trust }));

  test('commands of a remote home work the same on macOS and Windows, as far as the platform decides', () =>
    playPlatforms({ well, url, trust }));

  test('answers a program that has the packed client and Node alone', async () => {
    expect(
      await runPackedClient({ url, token: headers.authorization?.slice('Bearer '.length) ?? '', caFile: trust }),
    ).toMatchObject({
      ...{ account: 'admin', roles: [{ role: 'admin', workspace: '*' }], last: 'end', unknown: 'unknown-operation' },
    });
  });

  test.skipIf(noPython)('answers the program of the guide, by a Python client of its document', async () => {
    const definition = demoDefinition('python', { servers: [{ name: 'web' }] });
    const request = { ...requestOf({ infra: 'python', definition }), actor: undefined };
    const { operation } = await well<{ operation: string }>('POST', '/v1/operations', { request });
    await result(`/v1/operations/${encodeURIComponent(operation)}/result`);
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const document = JSON.stringify(await well('GET', '/openapi.json'));
    const { guide, check } = await runPythonClient({ url, token, caFile: trust, document, infra: 'python' });
    expect(guide.join('\n')).toMatch(/^default 1\n(.+ \w+\n)*.+ end\ndone \d+$/);
    expect(check).toEqual(PYTHON_CHECK);
  });

  test('ends in order at SIGTERM, with its program', async () => {
    const closed = once(server, 'close');
    server.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(logged.join('')).toBe('');
    await expect(ask('GET', '/health/live')).rejects.toThrow();
  });

  test('ends with a command that is killed', async () => {
    server = await startApiServer(engine, new URL(url).host);
    const [child] = childrenIn(server);
    expect(await well('GET', '/health/ready')).toEqual({ status: 'ready' });
    const closed = once(server, 'close');
    server.kill('SIGKILL');
    await closed;
    await expect.poll(() => existsSync(`/proc/${child}`), { timeout: 30_000 }).toBe(false);
    await expect(ask('GET', '/health/live')).rejects.toThrow();
  });
});
