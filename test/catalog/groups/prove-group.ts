import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { messageOf } from '../../../core/errors.js';
import type { OperationResult } from '../../../core/operation/operation.js';
import type { Mirror } from '../../../core/taskserv/mirrors.js';
import { bridgeAddress } from '../../support/bridge-address.js';
import { definitionOf } from '../../support/definition.js';
import type { TestEngine } from '../../support/engine.js';
import { containersOf, type HostShell, shellOf, sweep } from '../../support/hosts.js';
import { eventually, run } from '../../support/operations.js';
import { keepCertificates, keepSecrets } from '../keep-certificates.js';
import { type Served, serveFor } from '../mirror.js';
import { DISTRIBUTION, type Proven } from '../prove.js';
import type { GroupService, MemberShell } from './group-service.js';
import { Ledger } from './ledger.js';

const MEMBERS = ['a', 'b', 'c'];
const TIMING = { healthMs: 60_000, heartbeatMs: 10_000, retryMs: 200 };
/** Milliseconds. No limit of speed: a busy machine may take as long. */
const WITHIN = 120_000;

/**
 * Proves a service as a group of three hosts. It is one group. A lost member is replaced, and the others take writes
 * meanwhile. A change that would lose a second member is refused. Another setting comes into force under load. No
 * acknowledged write is lost.
 *
 * @param image of its hosts, such as `debian-13`
 */
export async function proveGroup(engine: TestEngine, name: string, service: GroupService, image: string): Promise<Proven> {
  const started = performance.now();
  const infra = `group-${process.pid}-${service.name}`;
  const proven: Proven = { taskserv: name, wrong: [], version: '', distribution: '', seconds: 0 };
  let served: Served | undefined;
  try {
    served = await (service.serve?.() ??
      serveFor({ ...(service.artifacts && { artifacts: service.artifacts }) }, await bridgeAddress()));
    const config = served?.filled(service.config) ?? service.config;
    await play(engine, { infra, image, service: { ...service, config }, mirrors: served?.mirrors }, proven);
  } catch (error) {
    proven.wrong.push(messageOf(error));
  } finally {
    await served?.close();
    await sweep(infra);
  }
  return { ...proven, seconds: (performance.now() - started) / 1000 };
}

interface Played {
  infra: string;
  image: string;
  service: GroupService;
  mirrors: Mirror[] | undefined;
}

async function play(engine: TestEngine, { infra, image, service, mirrors }: Played, proven: Proven): Promise<void> {
  const { unit, write, read, change, changed, config, secrets } = service;
  const on = new Map(MEMBERS.map((name) => [name, shellOf(infra, name)]));
  const shell = (name: string, script: string) => (on.get(name) as HostShell)(script);
  const wish = (more: Record<string, unknown> = {}) => wishOf({ infra, image, service, mirrors }, more);
  const keeps = async (member: string, keys: readonly string[]) =>
    assert.deepEqual(
      (await shell(member, read(keys))).trim().split(/\s+/),
      keys.map((key) => `${key}=of-${key}`),
    );
  const hasNothingToDo = async (more = {}) => assert.deepEqual((await run(engine, { ...wish(more), check: true })).plan, []);
  await keepCertificates(engine, infra, config);
  await keepSecrets(engine, infra, secrets);
  const client = new Ledger(MEMBERS, (member, key) => shell(member, write(key, `of-${key}`)));
  const leaves = attend(service, shell);
  try {
    // It is one group.
    const { services } = await apply(engine, wish());
    proven.version = services.find(({ taskserv }) => taskserv === service.name)?.version ?? '';
    assert.notEqual(proven.version, '', 'no version of it is found');
    proven.distribution = (await shell('a', DISTRIBUTION)).trim();
    await (service.attend ? eventually(() => client.once(['a']), WITHIN, 500) : client.once(['a']));
    // What the platform does only once a person has done their part.
    if (service.attend) await apply(engine, wish());
    for (const member of ['b', 'c']) await eventually(() => keeps(member, client.acknowledged), WITHIN, 500);
    await eventually(hasNothingToDo, WITHIN, 500);

    // One member is lost with its machine. The others take writes.
    for (const id of await containersOf(infra, 'b')) await new Docker().getContainer(id).remove({ force: true, v: true });
    await eventually(() => client.once(['a', 'c']), WITHIN, 500);
    await keeps('a', client.acknowledged);

    // It is replaced.
    await apply(engine, wish());
    await eventually(() => keeps('b', client.acknowledged), WITHIN, 500);

    // A change that would lose a second member at once is refused.
    await shell('c', `systemctl stop ${unit}`);
    const one = { verb: 'ensure' as const, servers: ['a'], taskservs: [service.name] };
    const refused = await run(engine, { ...wish(change), kind: 'taskserv', intent: one });
    assert.notEqual(refused.status, 'done', 'a change that loses a second member is not refused');
    assert.match(refused.error?.why ?? '', /2 are needed/);
    await eventually(() => client.once(['a', 'b']), WITHIN, 500);

    // Another setting comes into force on one member after the other, while a client writes.
    const before = client.acknowledged.length;
    client.begin();
    await apply(engine, wish(change));
    await client.end();
    assert(client.acknowledged.length > before, 'no write was acknowledged during the change');
    for (const member of MEMBERS) {
      await eventually(() => keeps(member, client.acknowledged), WITHIN, 500);
      assert.equal((await shell(member, changed.shown)).trim(), changed.is);
    }
    await eventually(() => hasNothingToDo(change), WITHIN, 500);
  } finally {
    await client.end();
    await leaves();
  }
}

/** Lets a person attend to the group until the result is called. */
function attend({ attend }: GroupService, shell: MemberShell): () => Promise<void> {
  const round = attend?.();
  let ended = round === undefined;
  const attending = (async () => {
    for (; !ended; await sleep(1_000)) await round?.(shell).catch(() => {});
  })();
  return () => {
    ended = true;
    return attending;
  };
}

function wishOf(
  { infra, image, service: { name, config, version, secrets = {} }, mirrors }: Played,
  more: Record<string, unknown>,
) {
  const taskservs = [{ name, ...(version !== undefined && { version }), config: { ...config, ...more } }];
  const servers = MEMBERS.map((server) => ({ name: server, image, taskservs }));
  const definition = definitionOf({ infra, provider: 'local', servers, ...(mirrors?.length && { mirrors }) }, Object.keys(secrets));
  return { infra, definition, timing: TIMING, onFailure: 'keep' as const, allowDestroy: true as const };
}

/** Refusals until the members that are left agree again, or until a busy host answers. People apply again then. */
const FOR_A_MOMENT = ['quorum-lost', 'group-unknown'];

async function apply(engine: TestEngine, wish: ReturnType<typeof wishOf>): Promise<OperationResult> {
  for (const until = Date.now() + WITHIN; ; await sleep(2_000)) {
    const result = await run(engine, wish);
    const { code = '', why, hint, step } = result.error ?? {};
    const isAgain = FOR_A_MOMENT.includes(code) || /does not answer|did not answer/.test(`${why} ${hint}`);
    if (result.status !== 'done' && isAgain && Date.now() < until) continue;
    assert.equal(result.status, 'done', `${step}: ${why}`);
    return result;
  }
}
