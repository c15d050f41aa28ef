import * as z from 'zod';
import { absentValue, type CommandOutput, type Fact, type Facts, FoundFile } from '../../core/host/facts.js';
import type { WantedFile } from '../../core/host/step.js';
import type { Group, GroupContext, Member } from '../../core/taskserv/groups/group.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ModuleDescription, SentFact, SentFile } from './messages.js';

/**
 * Function from the platform: reports whether the file of a fact is as wanted. `wanted` may name secrets whose values
 * are only known outside the sandbox.
 */
declare const __isAsWanted: (fact: string, wanted: string) => boolean;
/** Function from the platform: the parts of a URL, as JSON; undefined for an invalid URL. */
declare const __partsOfUrl: (url: string, base?: string) => string | undefined;
/** Exports of the compiled module. */
declare const __definition: Record<string, unknown>;

/** File that was found on a host. The platform compares it, because the sandbox does not know the values of secrets. */
class SentFoundFile extends FoundFile {
  readonly #fact: string;

  constructor(fact: string, { path, ...data }: SentFile['$file']) {
    super(path, data);
    this.#fact = fact;
  }

  override is(wanted: Omit<WantedFile, 'path'>): boolean {
    return __isAsWanted(this.#fact, JSON.stringify(wanted));
  }
}

let taskserv: AnyTaskserv | undefined;

function own(): AnyTaskserv {
  if (!taskserv) throw new Error('no taskserv was chosen');
  return taskserv;
}

/** Converts the facts of a host to the form that a taskserv expects. */
const foundIn = (sent: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, isFile(value) ? new SentFoundFile(name, value.$file) : value]),
  );

const isFile = (value: unknown): value is SentFile =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === '$file';

/** Returns a value that survives JSON unchanged. A fact must have no other value. */
function data(value: unknown, what: string): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => data(item, what));
  const plain = typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!plain)
    throw new TypeError(
      `${what} is ${value === undefined ? 'nothing' : 'no plain data'}: only text, numbers, lists and maps can be sent`,
    );
  const entries = Object.entries(value as object).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, data(item, what)]));
}

function sentFact(name: string, fact: Fact<unknown>): SentFact {
  if (fact.kind !== 'command') return fact as SentFact;
  const { run, env } = fact;
  const absent = fact.absent === undefined ? {} : { absent: data(fact.absent, `the fact "${name}" of a host that is not there`) };
  return { kind: 'command', run, ...(env && { env }), ...absent };
}

function described(): ModuleDescription {
  const {
    config,
    description,
    category,
    versions,
    requires,
    after,
    conflicts,
    supports,
    overrides,
    uses,
    endpoints,
    drain,
    undrain,
    group,
  } = own();
  const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Record<string, unknown>;
  const examples = config.meta?.()?.examples;
  return {
    ...{ description, category, versions, requires, after, conflicts, supports, overrides },
    schema: { ...schema, ...(examples !== undefined && { examples }) },
    has: {
      ...{ uses: !!uses, endpoints: !!endpoints, drain: !!drain, undrain: !!undrain },
      ...(group && {
        group: {
          ...{ quorum: group.quorum, leave: !!group.leave, handOver: !!group.handOver },
          ...(group.shares && { shares: describeShares(group.shares) }),
        },
      }),
    },
  };
}

/** Functions that the platform may call, by name. Arguments and answers are JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the other side sends values of the same types
const ANSWERS: Record<string, (...args: any[]) => unknown> = {
  describe: described,
  parse(value: unknown) {
    const { success, data: parsed, error } = own().config.safeParse(value);
    return success ? { data: parsed ?? null } : { issues: error.issues };
  },
  endpoints: (config: unknown) => own().endpoints?.(config) ?? [],
  uses: (config: unknown) => own().uses?.(config) ?? [],
  facts: (config: unknown, version?: string) =>
    Object.fromEntries(
      Object.entries(own().facts(config, version ?? undefined) as Facts).map(([name, fact]) => [name, sentFact(name, fact)]),
    ),
  fact: (config: unknown, name: string, output: CommandOutput | null, version?: string) =>
    readFact(own().facts(config, version ?? undefined), name, output),
  installed: (found) => ({ version: own().installed(foundIn(found)) }),
  plan: (config, found, context) =>
    own().plan(config, foundIn(found), context.group ? { ...context, group: groupIn(context.group) } : context),
  // The platform adds `given` to each check of a workspace's own taskservs.
  health: (config, context) =>
    own()
      .health(config, context)
      .map((check) => ('command' in check ? { ...check, given: undefined } : check)),
  remove: (config, found) => own().remove(config, foundIn(found)),
  drain: (config, target, context) => own().drain?.(config, target, context) ?? [],
  undrain: (config, target, context) => own().undrain?.(config, target, context) ?? [],
  groupName: (config) => ({ name: own().group?.of(config) }),
  groupFacts: (config: unknown) =>
    Object.fromEntries(
      Object.entries((own().group?.facts(config) ?? {}) as Facts).map(([name, fact]) => [name, sentFact(name, fact)]),
    ),
  groupFact: (config: unknown, name: string, output: CommandOutput | null) =>
    readFact(own().group?.facts(config) ?? {}, name, output),
  groupStanding: (found) => own().group?.standing(foundIn(found)),
  groupShare: (config, name: string, at, group) => ({
    run: own().group?.shares?.[name]?.make(config, memberIn(at), groupIn(group)),
  }),
  groupLeave: (config, leaving, group) => own().group?.leave?.(config, memberIn(leaving), groupIn(group)) ?? [],
  groupHandOver: (config, leader, group, to) =>
    own().group?.handOver?.(config, memberIn(leader), groupIn(group), to ? memberIn(to) : undefined) ?? [],
};

/** The value of a fact from the answer of a host. */
function readFact(facts: Facts, name: string, output: CommandOutput | null) {
  const fact = facts[name];
  if (fact?.kind !== 'command') throw new TypeError(`there is no fact "${name}" that a command provides`);
  const value = output === null ? absentValue(fact) : fact.parse(output);
  return { value: value === undefined ? undefined : data(value, `the fact "${name}"`) };
}

const describeShares = (shares: NonNullable<Group<unknown>['shares']>) =>
  Object.fromEntries(Object.entries(shares).map(([name, { make: _, ...about }]) => [name, about]));

const memberIn = (member: Member): Member => ({ ...member, ...(member.found && { found: foundIn(member.found) }) });

const groupIn = (group: GroupContext): GroupContext => ({ ...group, members: group.members.map(memberIn) });

/** Takes the taskserv from the exports of a module: the default export, or else the export with that name. */
function take(exported: Record<string, unknown>, name: string): void {
  const isTaskserv = (value: unknown): value is AnyTaskserv =>
    typeof value === 'object' && value !== null && typeof (value as AnyTaskserv).plan === 'function';
  const found = [exported.default, ...Object.values(exported)].find((value) => isTaskserv(value) && value.name === name);
  if (isTaskserv(found)) {
    taskserv = found;
    return;
  }
  const other = Object.values(exported).find(isTaskserv);
  throw new TypeError(other ? `it defines the taskserv "${other.name}", and its name is "${name}"` : 'it exports no taskserv');
}

function refuse(what: string): () => never {
  return () => {
    throw new Error(`${what} is not there: a taskserv may only use its input`);
  };
}

// A plan must be deterministic, so functions that differ from call to call are refused.
Math.random = refuse('Math.random');
const RealDate = Date;
const TimelessDate = new Proxy(Date, {
  construct: (_, args: unknown[]) => (args.length === 0 ? refuse('the time')() : new RealDate(...(args as [string]))),
  apply: refuse('the time'),
});
// Values created by Date, and descriptors, would bypass the proxy.
RealDate.now = refuse('Date.now');
RealDate.prototype.constructor = TimelessDate;

/** The subset of URL that modules need. */
class ReadUrl {
  constructor(url: unknown, base?: unknown) {
    const parts = __partsOfUrl(String(url), base === undefined ? undefined : String(base));
    if (parts === undefined) throw new TypeError('Invalid URL');
    Object.assign(this, JSON.parse(parts));
  }

  static canParse(url: unknown, base?: unknown): boolean {
    return __partsOfUrl(String(url), base === undefined ? undefined : String(base)) !== undefined;
  }

  toString(): string {
    return (this as unknown as URL).href;
  }
}

/** The subset that the SDK's `fingerprint` needs: encodes text as UTF-8, half a surrogate pair as U+FFFD. */
class Utf8Encoder {
  encode(text = ''): Uint8Array {
    const whole = text.replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
    const escaped = encodeURIComponent(whole);
    return Uint8Array.from(escaped.match(/%..|[^%]/g) ?? [], (one) =>
      one.length === 3 ? Number.parseInt(one.slice(1), 16) : one.charCodeAt(0),
    );
  }
}

Object.assign(globalThis, {
  URL: ReadUrl,
  TextEncoder: Utf8Encoder,
  Date: TimelessDate,
  __takeExported: (name: string) => take(__definition, name),
  __answer: (name: string, args: string) => JSON.stringify(ANSWERS[name]?.(...(JSON.parse(args) as unknown[])) ?? null),
});
