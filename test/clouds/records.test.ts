import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookAtRecords } from '../../activities/records/look-at-records.js';
import { recordSetter } from '../../activities/records/set-records.js';
import { ProvisioningError, TRANSIENT } from '../../core/errors.js';
import type { Answer } from '../../core/host/question.js';
import type { RecordsAction } from '../../core/host/step.js';
import { type FoundRecords, zoneRecords } from '../../core/host/zone-records.js';
import type { Connection, ProviderConnection } from '../../core/machine/provider.js';
import { aws } from '../../providers/aws/index.js';
import { hetzner } from '../../providers/hetzner/index.js';
import { whyNoMoto } from './aws/moto.js';
import { startRoute53 } from './aws/route53.js';
import type { FaultKind, FaultScript } from './fault-script.js';
import { startHetzner } from './hetzner/stand-in.js';
import { addZone, valuesOf } from './hetzner/zones.js';

const ZONE = 'example.org';
const NAME = `www.${ZONE}`;
const MARK = `_provisioning.${NAME}`;
const OWNER = 'default/shop';

/** Cloud with the zone, accessed without the platform. */
interface Subject {
  connection: ProviderConnection;
  faults: FaultScript;
  set(name: string, type: string, value: string): Promise<void>;
  values(name: string, type: string): Promise<string[] | undefined>;
  /** Additional faults of this cloud. */
  own: FaultKind[];
  close(): Promise<void>;
}

async function openHetzner(): Promise<Subject> {
  const standIn = await startHetzner({ delays: { other: 2 }, requests: 100_000 });
  const zone = addZone(standIn.world, ZONE);
  const inZone = (name: string) => (name === ZONE ? '@' : name.slice(0, -ZONE.length - 1));
  return {
    connection: await hetzner.connect(hetzner.config.parse({ pollMs: 5 }), {
      env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint },
      secret: async () => undefined,
    }),
    faults: standIn.faults,
    own: ['truncated'],
    async set(name, type, value) {
      zone.rrsets = [
        ...zone.rrsets.filter((one) => one.name !== inZone(name) || one.type !== type),
        { name: inZone(name), type, ttl: null, records: [{ value }] },
      ];
      standIn.world.state.zones.set(ZONE, zone);
    },
    values: async (name, type) => valuesOf(standIn.world, ZONE, inZone(name), type),
    close: standIn.close,
  };
}

async function openRoute53(): Promise<Subject> {
  const standIn = await startRoute53();
  await standIn.addZone(ZONE);
  await standIn.addZone(ZONE, true);
  await standIn.addZone(`after.${ZONE}`);
  const env = {
    AWS_ACCESS_KEY_ID: 'AKIASTANDIN',
    AWS_SECRET_ACCESS_KEY: 'x',
    AWS_ENDPOINT_URL: standIn.url,
    AWS_REGION: 'eu-central-1',
  };
  const connection = await aws.connect(aws.config.parse({ pollMs: 5 }), { env, secret: async () => undefined });
  const { faults, set, values, close } = standIn;
  return { connection, faults, set, values, own: ['quota'], close };
}

const noMoto = await whyNoMoto();
if (noMoto) console.warn(`left out: ${noMoto}`);
const clouds: [string, () => Promise<Subject>][] = [
  ['hetzner', openHetzner],
  ...(noMoto ? [] : [['aws', openRoute53] as [string, () => Promise<Subject>]]),
];

describe.each(clouds)('names at %s', (provider, open) => {
  const scope = { workspace: 'default', infra: 'shop', uuid: 'u' };
  const connection: Connection = { kind: 'ssh', address: '203.0.113.5', port: 22, user: 'root' };
  const named = (server: string) => ({ server, connection });
  const action = (more: Partial<RecordsAction> = {}): RecordsAction => ({
    ...{ provider, zone: ZONE, owner: OWNER, name: NAME, to: { ttl: 300 } },
    ...more,
  });
  let subject: Subject;
  const connectionOf = async () => subject.connection;
  const setter = (server = 'lb') => recordSetter(named(server), connectionOf, { scope });
  const all = () => Promise.all([subject.values(NAME, 'A'), subject.values(NAME, 'AAAA'), subject.values(MARK, 'TXT')]);
  const NOTHING = [undefined, undefined, undefined];
  const mark = (server = 'lb') => [`"heritage=provisioning,owner=${OWNER},server=${server}"`];

  /** Retries transient errors like Temporal, no sooner than the cloud permits. */
  async function patiently(work: () => Promise<void>): Promise<ProvisioningError[]> {
    const met: ProvisioningError[] = [];
    for (;;) {
      try {
        await work();
        return met;
      } catch (error) {
        if (!(error instanceof ProvisioningError) || error.details.blame !== TRANSIENT || met.length > 5) throw error;
        met.push(error);
        await sleep(error.details.retryAfterMs ?? 5);
      }
    }
  }

  async function look(zone = ZONE): Promise<FoundRecords> {
    const question = { unit: 'cloud-dns', facts: { records: zoneRecords({ provider, zone, owner: OWNER }, [NAME]) } };
    const [answer] = (await lookAtRecords([question], named('lb'), connectionOf, { scope })) as [Answer];
    return (answer.found as { records: FoundRecords }).records;
  }

  beforeAll(async () => {
    subject = await open();
  }, 400_000);
  afterAll(() => subject.close());

  test('are set to the address of the server, once, and changed, and removed', async () => {
    await setter().set(action());
    expect(await all()).toEqual([['203.0.113.5'], undefined, mark()]);
    expect(await look()).toEqual({
      server: 'lb',
      address: '203.0.113.5',
      names: [{ name: NAME, ttl: 300, addresses: ['203.0.113.5'], server: 'lb' }],
    });
    const before = subject.faults.log.length;
    await setter().set(action());
    expect(subject.faults.log.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);

    const from = { ttl: 300, addresses: ['203.0.113.5'], server: 'lb' };
    const changed = action({ to: { ttl: 60, addresses: ['203.0.113.7', '203.0.113.6', '2001:db8::7'] }, from });
    await setter().set(changed);
    expect(await all()).toEqual([['203.0.113.6', '203.0.113.7'], ['2001:db8::7'], mark()]);
    await setter().unset(changed);
    expect(await all()).toEqual([['203.0.113.5'], undefined, mark()]);

    const { to: _, ...removal } = action({ from });
    await setter('other').set(removal);
    expect(await all()).toEqual([['203.0.113.5'], undefined, mark()]);
    await setter().set(removal);
    expect(await all()).toEqual(NOTHING);
    await setter().unset(removal);
    expect(await all()).toEqual([['203.0.113.5'], undefined, mark()]);
    await setter().unset(action());
    expect(await all()).toEqual(NOTHING);
  });

  test('are those of the zone, too, and go over to another server of the same owner', async () => {
    const apex = action({ name: ZONE });
    await setter().set(apex);
    expect(await subject.values(ZONE, 'A')).toEqual(['203.0.113.5']);
    await setter('second').set(action({ ...apex, from: { ttl: 300, addresses: ['203.0.113.5'], server: 'lb' } }));
    expect(await subject.values(`_provisioning.${ZONE}`, 'TXT')).toEqual(mark('second'));
    // A late change by the first server has no effect.
    await setter().unset(apex);
    expect(await subject.values(ZONE, 'A')).toEqual(['203.0.113.5']);
    expect((await look()).names.map(({ name, server }) => [name, server])).toEqual([
      [NAME, undefined],
      [ZONE, 'second'],
    ]);
    await setter('second').unset(apex);
    expect(await subject.values(ZONE, 'A')).toBeUndefined();
  });

  test('of somebody else are refused, and left as they are', async () => {
    await subject.set(`shop.${ZONE}`, 'A', '192.0.2.9');
    await subject.set(`blog.${ZONE}`, 'CNAME', 'elsewhere.example.net.');
    const refused = (name: string) => setter().set(action({ name }));
    await expect(refused(`shop.${ZONE}`)).rejects.toThrow(
      /shop\.example\.org: records exist that the platform did not create: A 192\.0\.2\.9/,
    );
    await expect(refused(`blog.${ZONE}`)).rejects.toThrow(/did not create: CNAME elsewhere\.example\.net/);
    await setter().unset(action({ name: `shop.${ZONE}` }));
    expect(await subject.values(`shop.${ZONE}`, 'A')).toEqual(['192.0.2.9']);
    expect(await subject.values(`_provisioning.shop.${ZONE}`, 'TXT')).toBeUndefined();
  });

  test('are made by nobody else in between: what is there by then is not overwritten', async () => {
    const { records } = subject.connection;
    const make = { name: `shop.${ZONE}`, type: 'A' as const, to: { ttl: 60, values: ['203.0.113.5'] } };
    await expect(records?.change(ZONE, [make], { scope })).rejects.toMatchObject({
      details: { code: 'records-changed', blame: TRANSIENT },
    });
    expect(await subject.values(`shop.${ZONE}`, 'A')).toEqual(['192.0.2.9']);
  });

  test('need a zone of the account', async () => {
    await expect(look('example.com')).rejects.toMatchObject({
      details: {
        code: 'zone-missing',
        blame: 'user',
        on: 'example.com',
        hint: expect.stringMatching(/provider: (hetzner|aws)\/prod/),
      },
    });
  });

  test('are set and removed all the same where a request fails, whichever it is', async () => {
    const requestsOf = async (work: () => Promise<void>): Promise<number> => {
      const before = subject.faults.log.length;
      await work();
      return subject.faults.log.length - before;
    };
    const set = () => setter().set(action());
    const unset = () => setter().unset(action());
    const requests = Math.max(await requestsOf(set), await requestsOf(unset));
    const rounds = (['broken', 'cut-before', 'cut-after', ...subject.own] as FaultKind[]).flatMap((kind) =>
      Array.from({ length: requests }, (_, index) => ({ kind, at: index + 1 })),
    );
    for (const fault of rounds) {
      subject.faults.plan(fault);
      await patiently(set);
      subject.faults.clear();
      expect([fault, ...(await all())]).toEqual([fault, ['203.0.113.5'], undefined, mark()]);
      subject.faults.plan(fault);
      await patiently(unset);
      subject.faults.clear();
      expect([fault, ...(await all())]).toEqual([fault, ...NOTHING]);
    }
    console.log(`${provider}: ${rounds.length * 2} runs with a fault, ${requests} requests each`);
  }, 120_000);

  test('wait as long as the cloud asks', async () => {
    subject.faults.plan({ kind: 'busy', at: 2, retryAfterS: 1 });
    const met = await patiently(() => setter().set(action()));
    expect(met.map(({ details: { code, retryAfterMs = 0 } }) => [code, retryAfterMs > 900])).toEqual([['rate-limited', true]]);
    await setter().unset(action());
    expect(await all()).toEqual(NOTHING);
  });
});
