import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { infraWorkflowId } from '../../core/names.js';
import { plainEngine, temporalCli } from '../support/temporal-cli.js';
import type { Means, MeansName } from './means.js';
import { Stranger } from './stranger.js';
import { Victim } from './victim.js';

const root = resolve(import.meta.dirname, '../..');

/** Means without an effect on others. `ALONE` has those that hit an infra's entity or take any task of a queue. */
const BESIDE: readonly MeansName[] = [
  'cancel',
  'terminate',
  'reset to its beginning',
  'reset to its last task',
  'delete',
  'cancel of the entity',
  'activity answered by a failure',
  'activity answered in plain text',
  'activity answered by a recorded result',
  'workflow beside it with a memo in plain text',
];
const ALONE: readonly MeansName[] = [
  'terminate of the entity',
  'reset of the entity to its beginning',
  'reset of the entity to its last task',
  'delete of the entity',
  'activity task taken and kept',
  'workflow task taken and kept',
  'workflow task answered: completed',
  'workflow task answered: asks again',
  'workflow task of the entity answered: completed',
];
const AT_ONCE = 3;
/** Maximum time until an operation comes to rest, in milliseconds. */
const REST_MS = 25_000;
/** Latency of the second server's creation, in milliseconds: long enough for an attack. */
const MAKING_MS = 5_000;
const NOTHING_TAKEN = 'no task was to be had';

interface Measured {
  means: string;
  /** Status of the operation at rest, and the existing servers. */
  operation: string;
  servers: string[];
  /** Commands of the owner, with the result of each. */
  owner: string[];
  /** State at the end. */
  after: string[];
  fault?: string;
}

/**
 * Measures the effect of Temporal's own means on a running operation, and the owner's way to recover. The home accepts
 * every client.
 */
export async function measureDamage(program: string, say: (text: string) => void): Promise<{ table: string[]; faults: number }> {
  const victim = await Victim.start(root, await plainEngine());
  const measured: Measured[] = [];
  try {
    await victim.behave({ latencyMs: { 'servers.create:web-2': MAKING_MS } });
    const { address, namespace, taskQueue } = await victim.engine();
    const stranger = Stranger.start(program, { address, namespace, taskQueue });
    const ended = await operationOf(victim, await definition(victim, 'damage-0', 1));
    const one = async (means: MeansName, infra: string) => {
      const found = await measure(victim, stranger, means, infra, ended).catch((error: unknown) => ({
        ...{ means, operation: '?', servers: [], owner: [], after: [] },
        fault: String(error).slice(0, 300),
      }));
      measured.push(found);
      say(`damage: ${rowOf(found)}${found.fault ? ` FAULT: ${found.fault}` : ''}`);
    };
    const queue = BESIDE.entries();
    const beside = async () => {
      for (const [index, means] of queue) await one(means, `damage-${index + 1}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, beside));
    for (const [index, means] of ALONE.entries()) await one(means, `damage-${BESIDE.length + index + 1}`);
    await stranger.end();
  } finally {
    await victim.end();
  }
  const order = [...BESIDE, ...ALONE] as string[];
  const rows = measured.sort((a, b) => order.indexOf(a.means) - order.indexOf(b.means)).map(rowOf);
  return {
    table: [
      '| means | the operation | servers then | what the owner does | servers after |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ],
    faults: measured.filter(({ fault }) => fault).length,
  };
}

const rowOf = ({ means, operation, servers, owner, after }: Measured): string =>
  `| ${[means, operation, servers.join(', ') || 'none', owner.join('; ') || 'nothing', after.join(', ') || 'none'].join(' | ')} |`;

async function definition(victim: Victim, infra: string, servers: number): Promise<string> {
  const file = join(victim.env.HOME ?? '', `${infra}-${servers}.yaml`);
  await writeFile(file, `infra: ${infra}\nprovider: demo\nservers:\n  - { name: web, count: ${servers} }\n`);
  return file;
}

async function operationOf(victim: Victim, file: string, ...more: string[]): Promise<string> {
  const { json, output } = await victim.command('apply', file, '--yes', '--json', ...more);
  const [, id] = /"operation": "([^"]+)"/.exec(json) ?? [];
  if (!id) throw new Error(`no operation: ${output.slice(-300)}`);
  return id;
}

async function measure(victim: Victim, stranger: Stranger, means: MeansName, infra: string, ended: string): Promise<Measured> {
  await operationOf(victim, await definition(victim, infra, 1));
  const both = await definition(victim, infra, 2);
  // The attacker waits for the task before the operation starts.
  const taken = means === 'activity task taken and kept' ? stranger.use(means, { operation: '', entity: '', ended }) : undefined;
  if (taken) await sleep(500);
  const operation = await operationOf(victim, both, '--no-wait');
  const aim: Means = { operation, entity: infraWorkflowId('default', infra), ended };
  const { why } = await (taken ?? stranger.use(means, aim));
  if (why && !why.includes(NOTHING_TAKEN)) throw new Error(why);
  const status = why ? `${await restOf(victim, operation)}; ${NOTHING_TAKEN}` : await restOf(victim, operation);
  const servers = await victim.serversOf(infra);
  const owner = await getOn(victim, status, { ...aim, file: both, infra });
  const after = await victim.serversOf(infra);
  const fault = servers.includes('web-1')
    ? (await isWhole(victim, infra))
      ? undefined
      : 'the owner does not get on'
    : 'a server that was there before is gone';
  return { means, operation: status, servers, owner, after, ...(fault && { fault }) };
}

/** Reports whether both servers exist and are in the inventory. */
async function isWhole({ client, serversOf }: Victim, infra: string): Promise<boolean> {
  const known = await client.infras.inventory({ workspace: 'default', infra }).catch(() => undefined);
  const names = [await serversOf(infra), Object.keys(known?.servers ?? {}).sort()];
  return names.every((list) => list.join() === 'web-1,web-2');
}

/**
 * Runs the owner's commands, mildest first, until the infra matches the definition: the platform's, then Temporal's
 * own.
 */
async function getOn(
  victim: Victim,
  status: string,
  { operation, entity, file, infra }: Means & { file: string; infra: string },
): Promise<string[]> {
  const done: string[] = [];
  const note = (shown: string, exitCode: number, output: string) => {
    const line = output.split('\n').find((one) => /^(error|waiting): /.test(one)) ?? '';
    const why = line
      .replace(/^error: [^:]*: /, '')
      .replaceAll(operation, 'OPERATION')
      .slice(0, 100);
    done.push(`\`${shown}\` ${exitCode === 0 ? 'works' : `exit ${exitCode}${why && `: ${why}`}`}`);
  };
  const SHOWN: Record<string, string> = { [operation]: 'OPERATION', [file]: 'FILE', [infra]: 'INFRA' };
  const tell = async (...args: string[]) => {
    const { exitCode, output } = await victim.command(...args);
    note(args.map((arg) => SHOWN[arg] ?? arg).join(' '), exitCode, output);
  };
  const terminate = async (workflowId: string, shown: string) => {
    const { address, namespace } = await victim.engine();
    const args = ['workflow', 'terminate', '-w', workflowId, '--address', address, '--namespace', namespace];
    const { exitCode = -1, stderr } = await execa((await temporalCli()).path, args, {
      env: victim.env,
      extendEnv: false,
      reject: false,
    });
    if (exitCode === 0) note(`temporal workflow terminate ${shown}`, exitCode, stderr);
    return exitCode === 0;
  };
  const apply = () => tell('apply', file, '--yes');
  const recover = () => tell('infra', 'recover', infra, '--yes');
  if (status === 'waiting') {
    await tell('workflow', 'resume', operation);
    await restOf(victim, operation);
  }
  const steps: (() => Promise<void>)[] = [
    apply,
    async () => {
      if (await terminate(operation, 'OPERATION')) await apply();
    },
    async () => {
      await recover();
      await apply();
    },
    async () => {
      if (!(await terminate(entity, 'ENTITY'))) return;
      await recover();
      await apply();
    },
  ];
  for (const step of steps) {
    if (await isWhole(victim, infra)) break;
    await step();
  }
  return done;
}

/** Returns the status of an operation at rest, or `stuck` if it never ends. */
async function restOf(victim: Victim, operation: string): Promise<string> {
  let said = '';
  for (const until = Date.now() + REST_MS; Date.now() < until; await sleep(500)) {
    said = await victim.client.operations.progress({ operation }).then(
      ({ status }) => status,
      (error: Error) => error.message.replaceAll(operation, 'OPERATION').slice(0, 80),
    );
    if (!['queued', 'running'].includes(said) && /^[a-z-]+$/.test(said)) return said;
    if (said.includes('no such id exists')) return 'unknown';
    // If the operation ended without a result, take the status from Temporal's list.
    const listed = (await victim.client.operations.list({ workspace: 'default', limit: 100 })).find(
      (one) => one.operation === operation,
    );
    if (listed?.ended) return `ended; status says ${said}, the list ${listed.status}`;
  }
  return `no end within ${REST_MS / 1000} s; status says ${said}`;
}
