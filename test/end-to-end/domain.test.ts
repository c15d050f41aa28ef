import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TSIG } from '../catalog/proofs/name-server.js';
import { startHetzner } from '../clouds/hetzner/stand-in.js';
import { addZone, valuesOf } from '../clouds/hetzner/zones.js';
import { askedOf, makeAuthority, rootOf } from '../support/authority.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `domain-${process.pid}`;
const NAME = 'www.example.org';
const CLOUD_ZONE = 'example.net';
const CLOUD_NAME = `www.${CLOUD_ZONE}`;
const CLOUD_ADDRESS = '203.0.113.5';
const timing = { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 };

describe.skipIf(why)('a name on the internet, of a name server and an authority that are real', () => {
  const balancer = shellOf(INFRA, 'lb');
  const beside = shellOf(INFRA, 'b');
  let engine: TestEngine;
  let authority = '';

  /** The names in the certificate, in the records, and in the cloud's zone. */
  const define = (names: { certificate: string[]; records: string[]; cloud?: string[] } | undefined) => {
    const records = names?.records.map((name) => ({ name }));
    const dns = { server: 'b:53', zone: 'example.org', key: 'acme', tsigSecret: { secret: 'tsig' }, owner: INFRA, records };
    const acme = { ...askedOf(authority), certificates: [{ name: 'www', domains: names?.certificate ?? [] }] };
    const atCloud = (names?.cloud ?? []).map((name) => ({ name, addresses: [CLOUD_ADDRESS] }));
    const cloudDns = { provider: 'hetzner', zone: CLOUD_ZONE, owner: `default/${INFRA}`, records: atCloud };
    const services = [
      ...(atCloud.length > 0 ? [{ name: 'cloud-dns', config: cloudDns }] : []),
      { name: 'haproxy', config: { tls: { acme: ['www'] } } },
      { name: 'dns-records', config: dns },
      { name: 'acme', config: acme },
    ];
    const servers = [
      { name: 'lb', taskservs: names ? services : [] },
      { name: 'b' },
      ...['web-1', 'web-2'].map((name) => ({ name, taskservs: ['nginx'] })),
    ];
    const definition = definitionOf({ infra: INFRA, provider: 'local', servers }, ['tsig']);
    return { infra: INFRA, timing, definition, onFailure: 'rollback' as const };
  };

  const www = { certificate: [NAME], records: [NAME] };
  const resolved = (name: string) => beside(`dig +short @127.0.0.1 ${name} A ${name} CNAME _provisioning.${name} TXT`);
  const address = () => balancer(`hostname -I | cut -d' ' -f1`);

  /** Sends a request like a browser: it resolves the name at the name server and trusts only the authority. */
  const asked = async () => {
    const at = (await resolved(NAME)).split('\n')[0];
    return beside(`printf %s '${await rootOf(beside)}' >/srv/root.pem
curl -fsS -L -o /dev/null -D - --cacert /srv/root.pem --resolve ${NAME}:80:${at} --resolve ${NAME}:443:${at} http://${NAME}/`);
  };
  const serial = () =>
    beside(`echo | openssl s_client -connect lb:443 -servername ${NAME} 2>/dev/null | openssl x509 -noout -serial`);

  /** A cloud with a zone. The worker gets the account from its environment, as usual. */
  let cloud: Awaited<ReturnType<typeof startHetzner>>;
  const atCloud = (name: string, type = 'A') => valuesOf(cloud.world, CLOUD_ZONE, name, type);
  beforeAll(async () => {
    cloud = await startHetzner();
    addZone(cloud.world, CLOUD_ZONE).rrsets.push({ name: 'shop', type: 'A', ttl: null, records: [{ value: '192.0.2.9' }] });
    Object.assign(process.env, { HCLOUD_TOKEN: cloud.token, HCLOUD_ENDPOINT: cloud.endpoint });
  });
  afterAll(() => cloud.close());

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('a certificate is got, and served for a name that leads to it; the second time nothing is left to do', async () => {
    await runWell(engine, define(undefined));
    authority = await makeAuthority(engine, INFRA);
    await beside('DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bind9-dnsutils >/dev/null 2>&1');

    const preview = await run(engine, { ...define(www), check: true });
    expect(preview.plan.map(({ title }) => title)).toEqual(
      expect.arrayContaining([expect.stringContaining(`Set the records of ${NAME}`), `Get certificate www for ${NAME}`]),
    );
    expect(await resolved(NAME)).toBe('');

    await runWell(engine, define(www));
    expect(await resolved(NAME)).toBe(`${await address()}\n"heritage=provisioning,owner=${INFRA}"`);
    const answer = await asked();
    expect(answer).toContain(`location: https://${NAME}/`);
    expect(answer).toMatch(/x-served-by: web-[12]/);
    expect((await run(engine, { ...define(www), check: true })).plan).toEqual([]);
  });

  test('a renewal, behind the balancer that serves by TLS, is served by itself', async () => {
    const former = await serial();
    await balancer('systemctl start acme.service');
    // A reload of haproxy is a signal, so the new process answers a moment later.
    await eventually(async () => expect(await serial()).not.toBe(former));
    await asked();
    expect((await run(engine, { ...define(www), check: true })).plan).toEqual([]);
  });

  test('what the authority refuses is told, and records of the same operation are rolled back', async () => {
    const former = await serial();
    const refused = { certificate: [NAME, 'nowhere.example.org'], records: [NAME, 'blog.example.org'] };
    const result = await run(engine, define(refused));
    expect(result.status).toBe('rolled-back');
    expect(JSON.stringify(result.error)).toMatch(/cannot get certificate www: .*nowhere\.example\.org/);
    expect(await resolved('blog.example.org')).toBe('');
    expect(await resolved(NAME)).not.toBe('');
    expect(await serial()).toBe(former);
    await asked();
  });

  test('a name that is somebody else’s is refused before anything is touched', async () => {
    const result = await run(engine, define({ certificate: [NAME], records: [NAME, 'blog.example.org', 'shop.example.org'] }));
    expect(result.status).toBe('failed');
    expect(result.error?.why).toContain('records exist that the platform did not create: A 192.0.2.9');
    expect(await resolved('shop.example.org')).toBe('192.0.2.9');
    expect(await resolved('blog.example.org')).toBe('');
  });

  test('a record that somebody changed is seen, and repaired', async () => {
    await beside(`printf 'key "acme" { algorithm hmac-sha256; secret "${TSIG}"; };' >/srv/key
printf 'server 127.0.0.1\\nzone example.org.\\nupdate delete ${NAME}. A\\nupdate add ${NAME}. 60 A 192.0.2.66\\nsend\\n' | nsupdate -k /srv/key`);
    const { plan } = await run(engine, { ...define(www), check: true });
    expect(plan.map(({ title }) => title)).toEqual([`Set the records of ${NAME} to ${await address()}`]);
    await runWell(engine, define(www));
    await asked();
  });

  test('names at a cloud are set by the worker in the same operation, and looked at as any service', async () => {
    const both = { ...www, cloud: [CLOUD_NAME] };
    const preview = await run(engine, { ...define(both), check: true });
    expect(preview.plan.map(({ title }) => title)).toEqual([`Set the records of ${CLOUD_NAME} to ${CLOUD_ADDRESS}`]);
    expect(atCloud('www')).toBeUndefined();
    await runWell(engine, define(both));
    expect(atCloud('www')).toEqual([CLOUD_ADDRESS]);
    expect(atCloud('_provisioning.www', 'TXT')).toEqual([`"heritage=provisioning,owner=default/${INFRA},server=lb"`]);
    expect((await run(engine, { ...define(both), check: true })).plan).toEqual([]);
    expect(await balancer(`grep -rlsF ${cloud.token} /etc /root /run /tmp /var/lib || true`)).toBe('');

    const rrset = cloud.world.state.zones.get(CLOUD_ZONE)?.rrsets.find(({ name, type }) => name === 'www' && type === 'A');
    rrset?.records.splice(0, 1, { value: '203.0.113.66' });
    await runWell(engine, define(both));
    expect(atCloud('www')).toEqual([CLOUD_ADDRESS]);
  });

  test('what fails rolls names at a cloud back, and one that is somebody else’s is refused before anything is touched', async () => {
    const refused = { ...www, certificate: [NAME, 'nowhere.example.org'], cloud: [CLOUD_NAME, `blog.${CLOUD_ZONE}`] };
    expect((await run(engine, define(refused))).status).toBe('rolled-back');
    expect([atCloud('blog'), atCloud('_provisioning.blog', 'TXT'), atCloud('www')]).toEqual([
      undefined,
      undefined,
      [CLOUD_ADDRESS],
    ]);
    const foreign = await run(engine, define({ ...www, cloud: [CLOUD_NAME, `blog.${CLOUD_ZONE}`, `shop.${CLOUD_ZONE}`] }));
    expect([foreign.status, foreign.error?.why]).toEqual(['failed', expect.stringContaining('did not create: A 192.0.2.9')]);
    expect([atCloud('blog'), atCloud('shop')]).toEqual([undefined, ['192.0.2.9']]);
  });

  test('removal takes the records away, and leaves those of others', async () => {
    await runWell(engine, define(undefined));
    expect(await resolved(NAME)).toBe('');
    expect(await resolved('shop.example.org')).toBe('192.0.2.9');
    expect(cloud.world.state.zones.get(CLOUD_ZONE)?.rrsets.map(({ name }) => name)).toEqual(['shop']);
  });
});
