import Docker from 'dockerode';
import { afterEach, describe, expect, test } from 'vitest';
import type { GroupService } from '../catalog/groups/group-service.js';
import { GROUP_SERVICES } from '../catalog/groups/index.js';
import { keepCertificates, keepSecrets } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `groups-${process.pid}`;
const MEMBERS = ['a', 'b', 'c'];
const timing = { healthMs: 60_000, heartbeatMs: 10_000, retryMs: 200 };

/** What a client writes, and what it was told to be kept. */
class Ledger {
  readonly acknowledged: string[] = [];
  #count = 0;
  #writing: Promise<void> | undefined;
  #ended = false;

  constructor(private readonly write: (member: string, key: string) => Promise<unknown>) {}

  /** Writes once, by the first member that takes it. A key that was refused is not used again. */
  async once(members: readonly string[] = MEMBERS): Promise<string> {
    let last: unknown;
    for (const member of members) {
      const key = `k${this.#count++}`;
      try {
        await this.write(member, key);
        this.acknowledged.push(key);
        return key;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  /** Writes all the time, by each member in turn. */
  begin(): void {
    this.#ended = false;
    this.#writing = (async () => {
      for (let turn = 0; !this.#ended; turn += 1)
        await this.once([...MEMBERS.slice(turn % 3), ...MEMBERS.slice(0, turn % 3)]).catch(() => {});
    })();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#writing;
  }
}

describe.skipIf(why)('services that are a group, on three hosts', () => {
  let engine: TestEngine;
  const on = Object.fromEntries(MEMBERS.map((name) => [name, shellOf(INFRA, name)]));
  const shell = (name: string, script: string) => on[name]?.(script) ?? Promise.reject(new Error(name));
  let ledger: Ledger | undefined;

  const wish = ({ name, config, secrets = {} }: GroupService, changed: Record<string, unknown> = {}) => {
    const servers = MEMBERS.map((server) => ({ name: server, taskservs: [{ name, config: { ...config, ...changed } }] }));
    const definition = definitionOf({ infra: INFRA, provider: 'local', servers }, Object.keys(secrets));
    return { infra: INFRA, timing, definition, onFailure: 'keep' as const, allowDestroy: true as const };
  };

  /** Applies. A member whose busy host does not answer in time counts as lost: people apply again then. */
  const apply = async (wanted: ReturnType<typeof wish>) => {
    const { error } = await run(engine, wanted);
    if (error && !/does not answer|did not answer/.test(`${error.why} ${error.hint}`)) expect(error).toBeUndefined();
    if (error) await runWell(engine, wanted);
  };

  withHostEngine(INFRA, (started) => {
    engine = started;
  });
  afterEach(() => ledger?.end());

  test.each(GROUP_SERVICES)('$name', { timeout: 900_000 }, async (service) => {
    const { unit, write, read, change, changed, config, secrets } = service;
    const times: Record<string, number> = {};
    let since = Date.now();
    const note = (what: string) => {
      times[what] = Math.round((Date.now() - since) / 1000);
      since = Date.now();
    };
    const keeps = async (member: string, keys: readonly string[]) =>
      expect((await shell(member, read(keys))).trim().split(/\s+/)).toEqual(keys.map((key) => `${key}=of-${key}`));
    await keepCertificates(engine, INFRA, config);
    await keepSecrets(engine, INFRA, secrets);
    const client = new Ledger((member, key) => shell(member, write(key, `of-${key}`)));
    ledger = client;

    // It is one group.
    await apply(wish(service));
    note('found');
    await client.once(['a']);
    for (const member of ['b', 'c']) await eventually(() => keeps(member, client.acknowledged), 20_000, 500);
    await eventually(async () => expect((await run(engine, { ...wish(service), check: true })).plan).toEqual([]), 60_000, 500);

    // One member is lost with its machine. The others take writes.
    since = Date.now();
    for (const id of await containersOf(INFRA, 'b')) await new Docker().getContainer(id).remove({ force: true, v: true });
    await eventually(() => client.once(['a', 'c']), 60_000, 500);
    note('writes again after the loss');
    await keeps('a', client.acknowledged);

    // It is replaced.
    since = Date.now();
    await apply(wish(service));
    note('replaced');
    await eventually(() => keeps('b', client.acknowledged), 60_000, 500);

    // A change that would lose a second member at once is refused.
    await shell('c', `systemctl stop ${unit}`);
    const one = { verb: 'ensure' as const, servers: ['a'], taskservs: [service.name] };
    const refused = await run(engine, { ...wish(service, change), kind: 'taskserv' as const, intent: one });
    expect(refused.status).not.toBe('done');
    expect(refused.error?.why).toContain('2 are needed');
    await eventually(() => client.once(['a', 'b']), 60_000, 500);

    // Another setting comes into force on one member after the other, while a client writes.
    const before = client.acknowledged.length;
    client.begin();
    since = Date.now();
    await apply(wish(service, change));
    note('changed');
    await client.end();
    expect(client.acknowledged.length).toBeGreaterThan(before);
    for (const member of MEMBERS) {
      await eventually(() => keeps(member, client.acknowledged), 60_000, 500);
      expect((await shell(member, changed.shown)).trim()).toBe(changed.is);
    }
    await eventually(
      async () => expect((await run(engine, { ...wish(service, change), check: true })).plan).toEqual([]),
      60_000,
      500,
    );
    console.info(`${service.name}: ${client.acknowledged.length} writes acknowledged, seconds: ${JSON.stringify(times)}`);
  });
});
