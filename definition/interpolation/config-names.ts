import { type DefinitionSettings, NO_SETTINGS } from '../defaults/definition-settings.js';
import { didYouMean } from '../source/did-you-mean.js';
import { Fault } from './expression.js';
import type { Lookup } from './names.js';

/**
 * Looks up `{{ config.servers.defaultPlan }}`: all settings below the first part of a name. An unknown setting is a
 * fault with the nearest name. A setting that is null has no value. Settings of the engine, and settings that may have
 * a password, do not exist here.
 */
export function configLookup({ values, known }: DefinitionSettings = NO_SETTINGS): Lookup {
  return (group) => {
    const names = [...known].filter((name) => name.startsWith(`${group}.`));
    if (names.length === 0) throw new Fault(`there is no setting "config.${group}"`, didYouMean(group, groupsOf(known)));
    const tree: Record<string, unknown> = {};
    for (const name of names) put(tree, name.split('.').slice(1), values.get(name) ?? null);
    return tree;
  };
}

const groupsOf = (known: ReadonlySet<string>): string[] => [...new Set([...known].map((name) => name.split('.')[0] ?? ''))];

function put(tree: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const inside = (tree[key] ?? {}) as Record<string, unknown>;
  tree[key] = inside;
  put(inside, rest, value);
}
