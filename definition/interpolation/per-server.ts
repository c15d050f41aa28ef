import { fingerprint } from '../../core/encoding/hash.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import { Fault, partsOf, RAW_HINT } from './expression.js';
import type { Lookup } from './names.js';
import type { Resolver, Say } from './resolver.js';

/** Lookups of other services of the definition for a configuration. */
export interface Others {
  lookups: Readonly<Record<string, Lookup>>;
  /** Tells what is wrong with the text at a path of the configuration. */
  say(path: Path, fault: Fault): void;
}

/** Puts what is known of one server, and of the others, into a configuration that servers share. */
export type ServerInterpolation = (
  config: Record<string, unknown>,
  server: { name: string; group: string },
  others: Others,
) => Record<string, unknown>;

/** A configuration that says nothing of servers. */
export const shareConfig: ServerInterpolation = (config) => config;

/** Names of which something is known only once there are servers with services. */
const LATE: ReadonlySet<unknown> = new Set(['server', 'servers', 'taskservs']);

/** Meaning of these names before the server is known. */
export const LATE_ONLY: Readonly<Record<string, Lookup>> = {
  server: () => {
    throw new Fault('values of "server" are only available in the configuration of its taskservs', RAW_HINT);
  },
  servers: () => tooEarly('servers'),
  taskservs: () => tooEarly('taskservs'),
};

function tooEarly(what: string): never {
  throw new Fault(`"${what}" is only available in the configuration of taskservs and in outputs`, RAW_HINT);
}

interface Around {
  source: Source;
  /** Takes the texts that wait, by the words that stand for them. */
  later: Map<string, string>;
  resolver: Resolver;
  say: Say;
}

const isConfiguration = (path: Path): boolean =>
  (path[0] === 'taskservs' && path[2] === 'config') ||
  // Service parts of zones become the configuration of services.
  (path[0] === 'domains' && path.length > 3) ||
  (path[0] === 'servers' && path[2] === 'taskservs' && path[4] === 'config');

/**
 * Replaces each text of a configuration that refers to servers with a placeholder, and keeps the text with the
 * placeholder.
 */
export function removeLate(value: unknown, path: Path, around: Around): unknown {
  if (typeof value === 'string') {
    const names = isConfiguration(path) && !around.source.isRaw?.(path) ? lateNames(value) : [];
    if (names.length === 0) return value;
    // A text that refers only to its own server is checked once, wherever it is. Other servers are known only after
    // placing.
    if (names.every((name) => name === 'server')) attemptOnAny(value, path, around);
    const word = `late-text-${fingerprint(`${around.source.file}\n${value}`)}`;
    around.later.set(word, value);
    return word;
  }
  if (Array.isArray(value)) return value.map((one, index) => removeLate(one, [...path, index], around));
  if (!isRecord(value) || (Object.keys(value).length === 1 && Object.hasOwn(value, 'raw'))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, removeLate(one, [...path, key], around)]));
}

function attemptOnAny(text: string, path: Path, { source, resolver, say }: Around): void {
  try {
    resolver.text(text, { server: serverLookup({ name: 'server', group: 'server' }) });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.message !== undefined) say(source, path, error.message, error.suggestion);
  }
}

function lateNames(text: string): unknown[] {
  try {
    return (partsOf(text) ?? []).flatMap((part) =>
      typeof part === 'string' ? [] : part.names.map(({ path }) => path[0]).filter((name) => LATE.has(name)),
    );
  } catch {
    // The fault is reported when all texts are read.
    return [];
  }
}

const serverLookup =
  ({ name, group }: { name: string; group: string }): Lookup =>
  (what) => {
    if (what === 'name') return name;
    if (what === 'index') return name === group ? 1 : Number(name.slice(group.length + 1));
    throw new Fault(`there is no "server.${what}"`, didYouMean(what, ['name', 'index']));
  };

/** Returns a function that replaces placeholders with texts. */
export function createPerServer(resolver: Resolver, later: ReadonlyMap<string, string>): ServerInterpolation {
  if (later.size === 0) return shareConfig;
  return (config, server, { lookups, say }) => {
    const more = { ...lookups, server: serverLookup(server) };
    const settle = (value: unknown, path: Path): unknown => {
      const text = typeof value === 'string' ? later.get(value) : undefined;
      if (text !== undefined) {
        try {
          return resolver.text(text, more);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          say(path, error);
          return undefined;
        }
      }
      if (Array.isArray(value)) return value.map((one, index) => settle(one, [...path, index]));
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, settle(one, [...path, key])]));
    };
    return settle(config, []) as Record<string, unknown>;
  };
}
