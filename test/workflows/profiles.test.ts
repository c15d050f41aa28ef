import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../client/connect.js';
import { DEFAULT_NAMESPACE } from '../../core/names.js';
import { cacheOf, homeOf } from '../../home/home.js';
import { down } from '../../workers/engine/down.js';
import { readRecord } from '../../workers/engine/record.js';
import { status } from '../../workers/engine/status.js';
import { up } from '../../workers/engine/up.js';
import { makeAuthority } from '../support/certificates.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { freePorts } from '../support/free-ports.js';
import { requestOf } from '../support/operations.js';
import { plainEngine } from '../support/temporal-cli.js';
import { startTlsFront, type TlsFront } from '../support/tls-front.js';

const quiet = () => {};
const KEY = 'tk-4f2a9c-canary';

/**
 * A real Temporal service behind TLS with client certificates and API keys. Profiles of Temporal's own file name it.
 */
describe('a service by profile', () => {
  let place: string;
  let behind: TestEngine;
  let env: NodeJS.ProcessEnv;
  const fronts: Record<string, TlsFront> = {};
  const home = (name: string) => homeOf({ PROVISIONING_HOME: join(place, name) });
  const raise = (name: string, profile: string, worker = false) =>
    up(home(name), { env, profile, worker, supervise: false }, quiet);
  const failure = async (profile: string) => {
    const error = await raise(`failing-${profile}`, profile).then(
      () => ({ details: { code: 'none', why: 'it came up', blame: '' }, message: '' }),
      (thrown) => thrown,
    );
    expect(JSON.stringify(error.details ?? String(error))).not.toContain(KEY);
    return error.details ?? { code: String(error) };
  };

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'profiles-'));
    // An external service. The gateway provides TLS.
    behind = await startTestEngine(await plainEngine());
    const { address: to = '' } = (await readRecord(behind.home)) ?? {};
    const ours = await makeAuthority(place, 'ours');
    const theirs = await makeAuthority(place, 'theirs');
    const server = await ours.sign('server');
    const client = await ours.sign('client');
    const stranger = await theirs.sign('stranger');
    fronts.cloud = await startTlsFront({ ...server, to, apiKey: KEY, forbidden: ['AddSearchAttributes'] });
    fronts.mutual = await startTlsFront({ ...server, to, clientCa: ours.cert });
    fronts.expired = await startTlsFront({ ...(await ours.sign('expired', { days: -1 })), to });
    fronts.elsewhere = await startTlsFront({ ...(await ours.sign('elsewhere', { names: 'DNS:other.example' })), to });
    fronts.unknown = await startTlsFront({ ...stranger, to });
    const [nobody = 0] = await freePorts(1);
    const profile = (name: string, address: string, lines: readonly string[] = [], namespace = DEFAULT_NAMESPACE) =>
      [`[profile.${name}]`, `address = "${address}"`, `namespace = "${namespace}"`, ...lines, ''].join('\n');
    const key = `api_key = "${KEY}"`;
    const trust = (name: string) => [`[profile.${name}.tls]`, `server_ca_cert_path = "${ours.cert}"`];
    const tls = (name: string, front: TlsFront | undefined, ...more: string[]) =>
      profile(name, front?.address ?? '', [...more, ...trust(name)]);
    const pair = ({ cert, key: file }: { cert: string; key: string }) => [
      `client_cert_path = "${cert}"`,
      `client_key_path = "${file}"`,
    ];
    const text = [
      tls('cloud', fronts.cloud, key),
      tls('wrong-key', fronts.cloud, 'api_key = "another"'),
      tls('no-key', fronts.cloud),
      profile('wrong-namespace', fronts.cloud.address, [key, ...trust('wrong-namespace')], 'absent'),
      profile('mutual', fronts.mutual.address, [...trust('mutual'), ...pair(client)]),
      profile('stranger', fronts.mutual.address, [...trust('stranger'), ...pair(stranger)]),
      tls('no-certificate', fronts.mutual),
      tls('expired', fronts.expired),
      tls('elsewhere', fronts.elsewhere),
      tls('unknown', fronts.unknown),
      profile('without-tls', fronts.cloud.address),
      profile('tls-to-plain', to, trust('tls-to-plain')),
      profile('nobody', `127.0.0.1:${nobody}`),
      profile('no-such-host', 'temporal.invalid:7233'),
      profile('no-port', 'temporal.example'),
    ].join('\n');
    const file = join(place, 'temporal.toml');
    await writeFile(file, text);
    const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_|VITEST)/.test(name));
    env = {
      ...Object.fromEntries(own),
      HOME: place,
      PROVISIONING_CACHE: cacheOf(),
      TEMPORAL_CONFIG_FILE: file,
      PROVISIONING_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
  });
  afterAll(async () => {
    for (const name of ['cloud', 'mutual']) await down(home(name)).catch(quiet);
    for (const front of Object.values(fronts)) await front.close();
    await behind?.stop();
    await rm(place, { recursive: true, force: true });
  });

  test('with TLS and an API key a worker comes up and does its work, and the home remembers the profile', async () => {
    expect(await raise('cloud', 'cloud', true)).toMatchObject({ engine: 'configured', worker: 'started' });
    expect(fronts.cloud?.shown).toEqual(new Set([`Bearer ${KEY}`]));
    const definition = demoDefinition('by-profile', { servers: [{ name: 'web' }], taskservs: ['nginx'] });
    const request = requestOf({ infra: 'by-profile', definition });
    const beside = await connect({ home: home('cloud'), env });
    await beside.operations.submit({ request });
    expect((await beside.operations.result({ operation: request.id })).status).toBe('done');
    await beside.close();
    // Neither command repeats the profile.
    expect(await up(home('cloud'), { env }, quiet)).toMatchObject({ engine: 'configured', worker: 'running' });
    expect(await status(home('cloud'), { env })).toMatchObject({ state: 'running', profile: 'cloud', problems: [] });
    const record = await readFile(join(home('cloud').engine, 'engine.json'), 'utf8');
    expect(record).not.toContain(KEY);
    await down(home('cloud'));
    await raise('cloud', 'cloud');
    const straight = await connect({ home: home('cloud'), env });
    expect((await straight.operations.list({ infra: 'by-profile' })).map(({ operation }) => operation)).toContain(request.id);
    await straight.close();
  });

  test("with a client's certificate", async () => {
    expect(await raise('mutual', 'mutual')).toMatchObject({ engine: 'configured' });
  });

  test.concurrent.each([
    ['wrong-key', 'temporal-refused', 'rejects the API key: invalid API key'],
    ['no-key', 'temporal-refused', 'rejects the request without an API key'],
    ['wrong-namespace', 'no-namespace', 'does not have it'],
    ['expired', 'temporal-certificate', 'has expired'],
    ['elsewhere', 'temporal-certificate', 'for another name'],
    ['unknown', 'temporal-certificate', 'authority that is not known here'],
    ['stranger', 'temporal-certificate', 'may not trust our certificate|the TLS handshake failed'],
    ['no-certificate', 'temporal-certificate', 'the TLS handshake failed'],
    ['without-tls', 'temporal-certificate', 'it wants TLS'],
    ['tls-to-plain', 'temporal-certificate', 'the TLS handshake failed'],
    ['nobody', 'engine-unreachable', 'ECONNREFUSED'],
    ['no-such-host', 'engine-unreachable', 'ENOTFOUND|EAI_AGAIN'],
    ['no-port', 'engine-unreachable', 'HOST:PORT'],
    ['no-such-profile', 'temporal-config', 'no-such-profile'],
  ])('the profile %s is told as %s', async (profile, code, why) => {
    expect(await failure(profile)).toMatchObject({ code, why: expect.stringMatching(why) });
  });

  test('search attributes that we may not add are named, with the command that adds them', async () => {
    const namespace = 'bare';
    await behind.temporal.connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await expect
      .poll(
        async () =>
          up(home('bare'), { env: { ...env, PROVISIONING_NAMESPACE: namespace }, profile: 'cloud', worker: false }, quiet).catch(
            (error) => error.details,
          ),
        { timeout: 120_000 },
      )
      .toMatchObject({
        code: 'no-search-attributes',
        hint: expect.stringContaining('--name ProvisioningWorkspace --type Keyword'),
      });
  });

  test('silence is told as nothing answering', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const given = { ...env, TEMPORAL_ADDRESS: `127.0.0.1:${port}`, TEMPORAL_TLS: 'true' };
    const error = await up(home('silent'), { env: given, worker: false }, quiet).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'engine-unreachable', why: expect.stringContaining('nothing answers') });
    silent.close();
  });
});
