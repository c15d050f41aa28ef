import { same } from '../../core/encoding/hash.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { ServerChange } from '../../core/operation/machine-plan.js';
import { type UpdatePolicy, updatePolicy } from '../../core/operation/rolling.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { StartState } from '../operation/operation.js';
import { sortMembers } from '../runbook/grouped-hosts.js';
import type { ServerDecision } from '../runbook/server-decision.js';
import { type PlannedTarget, Rollout, type Target } from './rollout.js';

/** Machines whose change interrupts what they serve. One that does not run serves nothing. */
export const interrupts = ({ action, stopped }: ServerChange): boolean =>
  (action === 'update' || action === 'replace') && stopped === undefined;

/** Decides which changes to running services go wave by wave. First installations do not. */
export class RollingPlan {
  readonly #work: WorkScope;
  readonly #specs: Map<string, WorkScope['definition']['servers'][number]>;
  /** The servers as recorded when it was planned. */
  readonly #before: Inventory['servers'];
  readonly #request: StartState['request'];
  readonly #roles = new Map<string, { planned: PlannedTarget[]; out: Target[] }>();

  constructor({ request, inventory }: StartState, work: WorkScope) {
    this.#work = work;
    this.#specs = new Map(work.definition.servers.map((server) => [server.name, server]));
    this.#before = { ...inventory.servers };
    this.#request = request;
  }

  /** How it is changed; undefined where it may be done at once. */
  policyOf({ server, taskserv }: Target): UpdatePolicy | undefined {
    const spec = this.#specs.get(server);
    const serves = taskserv ? this.#before[server]?.services[taskserv] : this.#before[server];
    if (!spec || !serves) return undefined;
    const own = this.#specOf({ server, taskserv })?.update;
    const policy = updatePolicy(spec.update, own, this.#request.update);
    const isMember = spec.taskservs.some(({ name, group }) => group !== undefined && (taskserv ?? name) === name);
    if (isMember) return { ...policy, strategy: 'rolling', batch: 1, maxUnavailable: 1 };
    return policy.strategy === 'rolling' ? policy : undefined;
  }

  addMachines(changes: ServerChange[]): void {
    for (const change of changes) {
      const target = { server: change.server };
      const policy = this.policyOf(target);
      if (policy && interrupts(change)) this.#of(target).planned.push({ ...target, broken: false, policy });
    }
  }

  /** @param order of the taskservs, as they are worked on */
  addServices(decisions: ServerDecision[], order: string[]): void {
    const place = new Map(order.map((name, index) => [name, index]));
    const services = decisions
      .filter(({ expected }) => !expected)
      .flatMap(({ server, services }) => services.map((service) => ({ server, ...service })))
      .filter(({ remove }) => !remove)
      .sort((a, b) => (place.get(a.taskserv) ?? 0) - (place.get(b.taskserv) ?? 0) || byNumber(a.server, b.server));
    // Members of a group wait for each other: another order of the waves would be waited for in vain.
    const inOrder = sortMembers(this.#work, services, ({ server, taskserv, standing }) => ({
      ...{ server, standing },
      spec: this.#specOf({ server, taskserv }),
    }));
    for (const { server, taskserv, steps, healthy } of inOrder) {
      const target = { server, taskserv };
      const policy = this.policyOf(target);
      const broken = this.#specOf(target)?.group === undefined && this.#isBroken(target, healthy);
      if (policy && steps.length > 0) this.#of(target).planned.push({ ...target, broken, policy });
      else if (policy && broken) this.#of(target).out.push(target);
    }
  }

  /** All that is changed in waves. */
  get targets(): Target[] {
    return [...this.#roles.values()].flatMap(({ planned }) => planned.map(({ server, taskserv }) => ({ server, taskserv })));
  }

  /** Returns a function that finds the rollout of a target, among the present plans. */
  rollouts(): (target: Target) => Rollout | undefined {
    const sizes = new Map<string, number>();
    for (const { name, role } of this.#work.definition.servers) if (this.#before[name]) sizes.set(role, (sizes.get(role) ?? 0) + 1);
    const rollouts = new Map(
      [...this.#roles].map(([id, { planned, out }]) => [
        id,
        new Rollout(sizes.get(id.slice(0, id.lastIndexOf('/'))) ?? 1, planned, out),
      ]),
    );
    return (target) => rollouts.get(this.#roleOf(target));
  }

  #specOf({ server, taskserv }: Target) {
    return this.#specs.get(server)?.taskservs.find(({ name }) => name === taskserv);
  }

  #isBroken({ server, taskserv }: Required<Target>, healthy: boolean | undefined): boolean {
    const known = this.#before[server]?.services[taskserv];
    // Its health was checked with the new configuration. If that differs, the answer says nothing about the running
    // service.
    const wanted = this.#specs.get(server)?.taskservs.find(({ name }) => name === taskserv)?.config;
    return same(known?.config, wanted) ? !healthy : known?.healthy === false;
  }

  #roleOf({ server, taskserv }: Target): string {
    return `${this.#specs.get(server)?.role}/${taskserv === undefined ? 'machines' : 'services'}`;
  }

  #of(target: Target) {
    const role = this.#roleOf(target);
    const known = this.#roles.get(role) ?? { planned: [], out: [] };
    this.#roles.set(role, known);
    return known;
  }
}

const byNumber = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
