import type { Output } from '../../core/definition/definition.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import { Fault, partsOf } from './expression.js';
import type { Resolver, Say } from './resolver.js';

export type OutputParts = Extract<Output, { parts: unknown }>['parts'];

const OF_INVENTORY: ReadonlySet<unknown> = new Set(['servers', 'taskservs']);

/** The texts of outputs in their parts: what the inventory will know stays a name, all else is worked out. */
export function outputParts(outputs: unknown, source: Source, resolver: Resolver, say: Say): Map<string, OutputParts> {
  const found = new Map<string, OutputParts>();
  for (const [name, said] of Object.entries(isRecord(outputs) ? outputs : {})) {
    const path = ['outputs', name, ...(isRecord(said) ? ['value'] : [])];
    const text = isRecord(said) ? said.value : said;
    if (typeof text !== 'string' || source.isRaw?.(path)) continue;
    try {
      found.set(name, partsOfOutput(text, resolver));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.message !== undefined) say(source, path, error.message, error.suggestion);
    }
  }
  return found;
}

/** Outputs with all worked out but their texts, which wait for the inventory. */
export function outputsWithTexts(outputs: unknown, source: Source, resolver: Resolver): unknown {
  if (!isRecord(outputs)) return outputs;
  const worked = (value: unknown, path: Path): unknown =>
    typeof value === 'string' ? value : resolver.resolve({ value, path, source });
  return Object.fromEntries(
    Object.entries(outputs).map(([name, said]) => {
      const path = ['outputs', name];
      const isLong = isRecord(said) && Object.hasOwn(said, 'value');
      return [name, isLong ? { ...said, value: worked(said.value, [...path, 'value']) } : worked(said, path)];
    }),
  );
}

function partsOfOutput(text: string, resolver: Resolver): OutputParts {
  return (partsOf(text) ?? [text]).map((part) => {
    if (typeof part === 'string') return part;
    const late = part.names.some(({ path }) => OF_INVENTORY.has(path[0]));
    const [name] = part.names;
    if (late && (!part.plain || !name))
      throw new Fault('filters do not work on values of the inventory', `write {{ ${name?.path.join('.')} }}`);
    if (late) return { of: (name?.path ?? []).map(String) };
    const value = resolver.text(`{{ ${part.text} }}`);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    throw new Fault('an output must be a text, a number, or a reference to a secret', 'choose a value inside it');
  });
}
