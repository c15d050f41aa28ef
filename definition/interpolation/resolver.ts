import { weighValue } from '../../core/definition/weight.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import type { Scope } from './engine.js';
import { type Expression, Fault, partsOf } from './expression.js';
import { findLookup, type Lookup } from './names.js';
import { faultOf, type GivenValue, type Variable } from './variables.js';

/** Reports a fault at a place of a source. */
export type Say = (source: Source, path: Path, message: string, suggestion?: string) => void;

/** Replaces expressions with values. */
export interface Resolver {
  /** Resolves a whole value. @param more further lookups of this place, by the first part of a name */
  resolve(given: GivenValue, more?: Readonly<Record<string, Lookup>>): unknown;
  /** A text that is a whole value. @throws Fault */
  text(text: string, more?: Readonly<Record<string, Lookup>>): unknown;
}

export interface ResolverOptions {
  evaluate(expression: string, scope: Scope): unknown;
  variables: ReadonlyMap<string, Variable>;
  /** Lookups of names that are not variables. */
  lookups: Readonly<Record<string, Lookup>>;
  say: Say;
}

/** Makes a resolver: each variable is resolved when it is first needed, and those that need each other are told once. */
export function createResolver({ evaluate, variables, lookups, say }: ResolverOptions): Resolver {
  const known = new Map<string, { value: unknown } | undefined>();
  const open: string[] = [];
  let bytes = 0;

  const variable: Lookup = (name) => {
    const one = variables.get(name);
    if (!one)
      throw new Fault(
        `there is no variable "${name}"`,
        didYouMean(name, variables.keys()) ?? `vars: { ${name}: { type: string } }`,
      );
    if (open.includes(name)) {
      throw new Fault(
        `variables depend on each other: ${[...open.slice(open.indexOf(name)), name].join(' → ')}`,
        'write one of the values',
      );
    }
    if (!known.has(name)) {
      open.push(name);
      known.set(name, one.value && valueFrom(one, one.value));
      open.pop();
    }
    const found = known.get(name);
    // Why it has no value has been told where it is declared.
    if (!found) throw new Fault();
    return found.value;
  };
  const valueFrom = (one: Variable, given: GivenValue): { value: unknown } | undefined => {
    let broken = false;
    const value = given.literal
      ? given.value
      : walk(given.value, given.path, given.source, {}, () => {
          broken = true;
        });
    const fault = broken ? undefined : faultOf(one, value);
    if (fault) say(given.source, given.path, fault.message, fault.suggestion);
    return broken || fault ? undefined : { value };
  };

  const evaluated = (expression: Expression, more: Readonly<Record<string, Lookup>>): unknown => {
    const scope: Record<string, Record<string, unknown>> = {};
    for (const { path, optional } of expression.names) {
      const [group, name, ...rest] = path as string[];
      const members = findLookup({ vars: variable, ...lookups, ...more }, group as string);
      if (name === undefined) throw new Fault(`"${group}" is not a single value`, `write ${group}.NAME`);
      const value = members(name, rest);
      if (value === undefined && !optional)
        throw new Fault(`"${group}.${name}" has no value here`, `{{ ${group}.${name} | default: "…" }}`);
      const inside = insideOf(value, rest, `${group}.${name}`);
      if (group === 'config' && inside === null && !optional) {
        const setting = path.join('.');
        throw new Fault(`"${setting}" has no value here`, `{{ ${setting} | default: "…" }}`);
      }
      const of = scope[group as string] ?? (Object.create(null) as Record<string, unknown>);
      scope[group as string] = of;
      of[name] = isRecord(value) && isRecord(of[name]) ? joined(of[name], value) : (value ?? null);
    }
    return evaluate(expression.text, scope);
  };

  const text = (whole: string, more: Readonly<Record<string, Lookup>> = {}): unknown => {
    const parts = partsOf(whole);
    if (!parts) return whole;
    const [only] = parts;
    if (parts.length === 1 && typeof only === 'object') {
      const [name] = only.names;
      const secret =
        only.plain && name?.path[0] === 'vars' && name.path.length === 2 ? variables.get(String(name.path[1])) : undefined;
      if (secret?.sensitive && open.length === 0) return { secret: secret.name };
    }
    const values = parts.map((part) => (typeof part === 'string' ? part : evaluatedSafely(part, more)));
    const value = values.length === 1 ? structuredClone(values[0]) : values.map(asText).join('');
    bytes += weighValue(value, LIMITS.fileResolved).bytes;
    if (bytes > LIMITS.fileResolved)
      throw new Fault(`expressions make more than ${sizeText(LIMITS.fileResolved)} of the definition`);
    return value;
  };
  const evaluatedSafely = (part: Expression, more: Readonly<Record<string, Lookup>>): unknown => {
    const hidden = part.names.find(({ path: [group, name] }) => group === 'vars' && variables.get(String(name))?.sensitive);
    if (hidden) {
      const message = `the variable "${hidden.path[1]}" is sensitive: it cannot be part of a text or another variable`;
      throw new Fault(message, `write "{{ vars.${hidden.path[1]} }}" as the whole value, in a field that accepts { secret: NAME }`);
    }
    try {
      return evaluated(part, more);
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault(`"{{ ${part.text.slice(0, 60)} }}" cannot be evaluated`);
    }
  };

  const walk = (
    value: unknown,
    path: Path,
    source: Source,
    more: Readonly<Record<string, Lookup>>,
    failed?: () => void,
  ): unknown => {
    if (typeof value === 'string') {
      if (!value.includes('{{') || source.isRaw?.(path)) return value;
      try {
        return text(value, more);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.message !== undefined) say(source, path, error.message, error.suggestion);
        failed?.();
        return undefined;
      }
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index], source, more, failed));
    if (!isRecord(value)) return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === 'raw') return value.raw;
    return Object.fromEntries(keys.map((key) => [key, walk(value[key], [...path, key], source, more, failed)]));
  };
  return { resolve: ({ value, path, source }, more = {}) => walk(value, path, source, more), text };
}

/** Returns a part of a value. @throws Fault if the value has no own property of this name */
function insideOf(value: unknown, rest: Path, name: string): unknown {
  let inside = value;
  let said = name;
  for (const key of rest) {
    const has = (Array.isArray(inside) ? typeof key === 'number' : isRecord(inside)) && Object.hasOwn(inside as object, key);
    const names = isRecord(inside) ? Object.keys(inside) : [];
    if (!has) throw new Fault(`"${said}" has no "${key}"`, names.length > 0 ? didYouMean(String(key), names) : undefined);
    inside = (inside as Record<string | number, unknown>)[key];
    said = typeof key === 'number' ? `${said}[${key}]` : `${said}.${key}`;
  }
  return inside;
}

/** Two answers about one name, each of which has what it was asked for. */
function joined(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const both = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const there = Object.hasOwn(both, key) ? both[key] : undefined;
    both[key] = isRecord(there) && isRecord(value) ? joined(there, value) : value;
  }
  return both;
}

function asText(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const [what, how] = Array.isArray(value) ? ['a list', '{{ NAME | join: ", " }}'] : ['a map', 'name one of its values'];
    throw new Fault(`${what} cannot be part of a text`, how);
  }
  return value === undefined || value === null ? '' : String(value);
}
