import type { Definition } from '../../../core/definition/definition.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { definitionOf } from '../../support/definition.js';
import type { TestEngine } from '../../support/engine.js';
import { remainsOf, repeatedSteps, shellOf, sweep, whyNoHosts } from '../../support/hosts.js';
import { strays } from '../findings.js';
import { existingInDocker } from '../hosts-seen.js';
import { judgeInventory, judgeOperations } from '../judge.js';
import type { Stage } from '../stage.js';

/** Infra of all rounds on hosts. They share it, so that a round need not wait for a machine to start. */
export const HOSTS_INFRA = `chaos-hosts-${process.pid}`;

const ENSURE = { verb: 'ensure', prune: true } as const;

type Server = Parameters<typeof definitionOf>[0]['servers'][number];

/** Creates a definition with accounts on one or two hosts: real steps, each short. */
function definitionFor(names: string[], second: boolean): Definition {
  const servers: Server[] = [
    { name: 'a' },
    ...(second ? [{ name: 'b', volumes: [{ name: 'data', size: '1 GiB', mount: '/data' }] }] : []),
  ];
  const users = names.map((name) => ({ name, groups: ['staff'] }));
  return definitionOf({ infra: HOSTS_INFRA, provider: 'local', servers, taskservs: [{ name: 'users', config: { users } }] });
}

/** Work of an operation on the hosts. */
export interface HostWork {
  definition: Definition;
  /** Expected accounts on host a, and on host b if it exists. */
  names: string[];
}

/**
 * Draws new accounts for host a, which exists when the function returns. In half of the rounds a second machine is
 * added or removed.
 */
export async function prepareHosts(stage: Stage): Promise<HostWork> {
  const why = await whyNoHosts();
  if (why) throw new Error(`no local hosts: ${why}`);
  const inventory = await stage.inventory();
  if (!inventory?.servers.a) await stage.undisturbed({ intent: ENSURE, definition: definitionFor(['first'], false) });
  const mark = Math.floor(stage.random() * 36 ** 4).toString(36);
  const names = Array.from({ length: stage.draw(8, 12) }, (_, index) => `u${mark}-${index}`);
  const second = (inventory?.servers.b !== undefined) !== stage.random() < 0.5;
  if (second) stage.moment.push('two hosts');
  return { definition: definitionFor(names, second), names };
}

export const submitOnHosts = (stage: Stage, { definition }: HostWork, more: Partial<OperationRequest> = {}): Promise<string> =>
  stage.submit({ intent: ENSURE, definition, ...more });

/** Starts to replace the accounts of the hosts. */
export async function beginOnHosts(stage: Stage): Promise<HostWork & { operation: string }> {
  const work = await prepareHosts(stage);
  return { ...work, operation: await submitOnHosts(stage, work) };
}

/** Waits on the host until a drawn step of the accounts has begun. Then runs the given script there. */
export async function inMidStep(stage: Stage, operation: string, then = ':'): Promise<string> {
  const step = stage.draw(0, 7);
  stage.moment.push(`step ${step + 1}`);
  const steps = `/var/lib/provisioning/operations/${operation}/users/1/steps`;
  const wait = `for i in $(seq 6000); do if grep -qx 'start ${step}' ${steps} 2>/dev/null; then break; fi; sleep 0.01; done`;
  const said = await shellOf(stage.infra, 'a')(`${wait}; grep -qx 'start ${step}' ${steps}; ${then}; cat ${steps}`);
  stage.demand(!/^done 7$/m.test(said), 'the work was over before the fault');
  return said;
}

/** Checks everything that must hold on hosts if an operation ended well despite the fault. */
export async function judgeHosts(stage: Stage, { operation, definition, names }: HostWork & { operation: string }): Promise<void> {
  await stage.settled();
  await judgeOperations(stage);
  const { status, error } = await stage.result(operation);
  stage.demand(status === 'done', `it ended ${status}: ${error?.step} on ${error?.on}: ${error?.why}`);
  stage.add(strays(await existingInDocker(stage.infra), await stage.inventory()));
  for (const { name } of definition.servers) {
    const shell = shellOf(stage.infra, name);
    for (const line of await repeatedSteps(shell)) stage.find('doubled', `twice on ${name}: ${line}`);
    const accounts = (await shell(`getent passwd | cut -d: -f1 | grep -E '^(u.*-[0-9]+|first)$' | sort`)).split('\n');
    stage.demand(
      accounts.join() === [...names].sort().join(),
      `${name} has the accounts ${accounts.join()} instead of ${names.join()}`,
    );
  }
  await judgeInventory(stage, definition);
  const again = await stage.undisturbed({ intent: ENSURE, definition });
  stage.demand(again.steps.executed === 0, `the next run did ${again.steps.executed} steps`);
}

/** Deletes the hosts of an infra after the last round. Returns their remains. */
export async function endHosts(engine: TestEngine, infra = HOSTS_INFRA): Promise<string[]> {
  if ((await remainsOf(infra).catch(() => [])).length === 0) return [];
  const client = await engine.client();
  const id = `cluster-delete-${infra}-end`;
  const intent = { verb: 'delete' } as const;
  await client.operations.submit({
    request: { id, kind: 'cluster', workspace: 'default', infra, intent, actor: 'chaos', allowDestroy: true },
  });
  await client.operations.result({ operation: id });
  const left = await remainsOf(infra);
  await sweep(infra);
  return left;
}
