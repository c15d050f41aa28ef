import {
  type AnyTaskserv,
  absentValue,
  type DrainTarget,
  type Facts,
  FoundFile,
  type HostContext,
  type Peer,
  type PlanContext,
  reveal,
  type Step,
  type Text,
} from '../index.js';

/** A file of `cases/`: what is wanted and what was found, and the steps that follow. */
export interface Case {
  /** Default `plan`. */
  action?: 'plan' | 'remove' | 'drain' | 'undrain';
  /** For `drain` and `undrain`: what is taken out of service or put back. */
  target?: DrainTarget;
  /** As in a definition; a secret is `{ "$secret": NAME }`, its value is `secret-of-NAME`. */
  config?: unknown;
  version?: string;
  host?: Partial<HostContext>;
  peers?: Peer[];
  /**
   * What was found, by the names of the taskserv's facts; the rest is absent.
   * A file may be `"as planned"`: as the first installation writes it.
   */
  facts?: Record<string, unknown>;
  steps: Step[];
}

const HOST: HostContext = { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048 };

/** The steps that a taskserv decides on in a case. */
export function stepsOf(taskserv: AnyTaskserv, given: Case): Step[] {
  const { config, context, found } = planOf(taskserv, given);
  const { action = 'plan', target = { server: '' } } = given;
  const steps =
    action === 'plan'
      ? taskserv.plan(config, found, context)
      : action === 'remove'
        ? taskserv.remove(config, found)
        : (taskserv[action]?.(config, target, context) ?? []);
  // As it will be in history: without what is undefined.
  return JSON.parse(JSON.stringify(steps)) as Step[];
}

/** What a taskserv is given to decide on in a case. */
export function planOf(taskserv: AnyTaskserv, given: Case) {
  const config = taskserv.config.parse(given.config ?? {});
  const context: PlanContext = {
    host: { ...HOST, ...given.host },
    peers: given.peers ?? [],
    version: given.version ?? taskserv.versions.default,
  };
  return { config, context, found: foundOf(taskserv, given, config, context) };
}

/** The facts of a case, as a host would answer them. Throws on a fact that the taskserv does not ask for. */
export function foundOf(
  taskserv: AnyTaskserv,
  given: Case,
  config = taskserv.config.parse(given.config ?? {}),
  context?: PlanContext,
): Record<string, unknown> {
  const facts: Facts = taskserv.facts(config);
  const said = given.facts ?? {};
  const strange = Object.keys(said).find((name) => !(name in facts));
  if (strange) throw new Error(`${taskserv.name} has no fact "${strange}", only ${Object.keys(facts).join(', ')}`);
  const absent = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)]));
  const found = Object.entries(facts).map(([name, fact]) => {
    const value = said[name];
    if (value === undefined) return [name, absent[name]];
    if (fact.kind === 'command') return [name, value];
    if (fact.kind !== 'file') return [name, { ...(absent[name] as object), ...(value as object) }];
    const data = value === 'as planned' && context ? planned(taskserv.plan(config, absent, context), fact.path) : value;
    return [name, new FoundFile(fact.path, data as never, revealFake)];
  });
  return Object.fromEntries(found);
}

const revealFake = (text: Text) => reveal(text, (name) => `secret-of-${name}`);

function planned(steps: Step[], path: string) {
  const step = steps.find((step) => 'file' in step && step.file.path === path);
  if (!step || !('file' in step)) throw new Error(`the first installation does not write ${path}`);
  return { exists: true, ...step.file, content: revealFake(step.file.content) };
}
