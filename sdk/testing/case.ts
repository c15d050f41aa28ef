import { newHomePath } from '../../core/host/facts.js';
import {
  type AnyTaskserv,
  absentValue,
  type DrainTarget,
  type Facts,
  FoundFile,
  type HostContext,
  type Peer,
  type PlanContext,
  type Step,
} from '../index.js';
import { type Difference, differences } from './differences.js';
import { revealFake } from './fake-secret.js';
import { type CaseGroup, readGroup } from './group/case-group.js';
import { joinLines, type Line, splitIntoLines } from './lines.js';

/** Step that, for a file, may have its content in lines. */
export type WrittenStep = Step | { title: string; file: { path: string; lines: Line[]; mode?: string; owner?: string } };

/** File of `cases/`: the wanted configuration, the facts that were found, and the resulting steps. */
export interface Case {
  /** Default `plan`. */
  action?: 'plan' | 'remove' | 'drain' | 'undrain' | 'leave' | 'hand-over';
  /**
   * Server to take out of service or return to it, for `drain` and `undrain`; the member that leaves its group, for `leave`;
   * the wanted next leader, if any, for `hand-over`, in which `host` leads.
   */
  target?: DrainTarget;
  /** As in a definition; a secret is `{ "$secret": NAME }`, its value is `secret-of-NAME`. */
  config?: unknown;
  version?: string;
  host?: Partial<HostContext>;
  peers?: Peer[];
  /** The member that leaves stays in the definition, since only its machine is replaced: it is still among the members. */
  stays?: true;
  /** Endpoints of the target when it returns, for `undrain`, if they differ. */
  returns?: Peer[];
  /** All members of the group, this one included, in the order of the definition. */
  group?: CaseGroup;
  /**
   * Facts that were found, by the names of the taskserv's facts; the others are absent. A file may be `"as planned"`,
   * as the first installation writes it. A content that ends in a newline may be `lines`.
   */
  facts?: Record<string, unknown>;
  steps: WrittenStep[];
}

const HOST: HostContext = { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048 };

/** Returns the steps that a taskserv decides on in a case. */
export function stepsOf(taskserv: AnyTaskserv, given: Case): Step[] {
  const { config, context, found } = planOf(taskserv, given);
  const { action = 'plan', target = { server: '' } } = given;
  const steps =
    action === 'plan'
      ? taskserv.plan(config, found, context)
      : action === 'remove'
        ? taskserv.remove(config, found)
        : action === 'leave'
          ? leaveSteps(taskserv, config, context, { server: target.server, stays: given.stays })
          : action === 'hand-over'
            ? handOverSteps(taskserv, config, given.target?.server, context)
            : (taskserv[action]?.(config, target, { ...context, ...(given.returns && { returns: given.returns }) }) ?? []);
  // JSON removes undefined properties, as in a workflow history.
  return JSON.parse(JSON.stringify(steps)) as Step[];
}

/** Steps for a member that leaves. As on the platform, it is not among the members if the definition has dropped it. */
function leaveSteps(
  { group }: AnyTaskserv,
  config: unknown,
  { group: known }: PlanContext,
  { server, stays }: { server: string; stays: true | undefined },
): Step[] {
  const leaving = known?.members.find((member) => member.server === server);
  if (!leaving || !known) throw new Error(`"${server}" is no member of the case's group`);
  const members = stays ? known.members : known.members.filter((member) => member !== leaving);
  return group?.leave?.(config, leaving, { ...known, members }) ?? [];
}

function handOverSteps({ group }: AnyTaskserv, config: unknown, to: string | undefined, context: PlanContext): Step[] {
  const find = (server: string) => context.group?.members.find((member) => member.server === server);
  const leader = find(context.host.name);
  const next = to === undefined ? undefined : find(to);
  if (!leader || !context.group || (to !== undefined && !next)) throw new Error(`"${to}" is no member of the case's group`);
  return group?.handOver?.(config, leader, context.group, next) ?? [];
}

/** Returns the differences between the decided steps and the steps of a case. */
export const stepsThatDiffer = (taskserv: AnyTaskserv, given: Case): Difference[] =>
  differences(given.steps.map(inOneForm), stepsOf(taskserv, given).map(inOneForm), 'steps');

/** Returns a case with the steps that the taskserv decides on, and contents in lines. */
export function updateCase(taskserv: AnyTaskserv, given: Case): Case {
  const { config, context } = planOf(taskserv, given);
  const kinds: Facts = taskserv.facts(config, context.version);
  const facts = Object.entries(given.facts ?? {}).map(([name, value]) => [
    name,
    kinds[name]?.kind === 'file' && typeof value === 'object' && value !== null ? splitIntoLines(value) : value,
  ]);
  return {
    ...given,
    ...(given.facts ? { facts: Object.fromEntries(facts) } : {}),
    steps: stepsOf(taskserv, given).map(inOneForm),
  };
}

/** Converts a step to one form, with its content in lines. */
const inOneForm = (step: WrittenStep): WrittenStep =>
  'file' in step ? ({ ...step, file: splitIntoLines(joinLines(step.file)) } as WrittenStep) : step;

/** Returns the inputs of a taskserv's decision in a case. */
export function planOf(taskserv: AnyTaskserv, given: Case) {
  const config = taskserv.config.parse(given.config ?? {});
  const context: PlanContext = {
    host: { ...HOST, ...given.host },
    peers: given.peers ?? [],
    version: given.version ?? taskserv.versions.default,
    ...(given.group && { group: readGroup(taskserv, config, given.group) }),
  };
  return { config, context, found: foundOf(taskserv, given, config, context) };
}

/** Returns the facts of a case, as a host would answer them. Throws for an unknown fact. */
function foundOf(taskserv: AnyTaskserv, given: Case, config: unknown, context: PlanContext): Record<string, unknown> {
  const facts: Facts = taskserv.facts(config, given.action === 'remove' ? undefined : context.version);
  const said = given.facts ?? {};
  const strange = Object.keys(said).find((name) => !(name in facts));
  if (strange) throw new Error(`${taskserv.name} has no fact "${strange}", only ${Object.keys(facts).join(', ')}`);
  const absent = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)]));
  const found = Object.entries(facts).map(([name, fact]) => {
    const value = said[name];
    if (value === undefined) return [name, absent[name]];
    if (fact.kind === 'command') return [name, value];
    if (fact.kind !== 'file') return [name, { ...(absent[name] as object), ...(value as object) }];
    const data =
      value === 'as planned' ? planned(taskserv.plan(config, absent, context), newHomePath(fact.path)) : joinLines(value as object);
    return [name, new FoundFile(newHomePath(fact.path), data as never, revealFake)];
  });
  return Object.fromEntries(found);
}

function planned(steps: Step[], path: string) {
  const step = steps.find((step) => 'file' in step && step.file.path === path);
  if (!step || !('file' in step)) throw new Error(`the first installation does not write ${path}`);
  return { exists: true, ...step.file, content: revealFake(step.file.content) };
}
