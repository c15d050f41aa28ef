import { findExcess } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';
import { createLayer, type MergedData, merge, type Trace, traceAt } from '../../core/merge/merge.js';
import type { Problem } from '../source/problem.js';
import { pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Place, Source } from '../source/source.js';
import { DEFINITION_RULES, declareVariables } from './rules.js';

/** Sources laid over each other, the lowest first, as one that is named for one of them. */
export function mergeLayered(sources: readonly Source[], main: Source): Source | Problem[] {
  const placeOf = ({ layer, path }: Trace, at: 'key' | 'value'): Place => {
    const source = sources[layer] ?? main;
    // A template's place may be that of its parameter, in another file.
    return { file: source.file, path, ...source.place(path, at) };
  };
  const problems: Problem[] = [];
  const merged = sources
    .map((source, index) => declareVariables(createLayer(withoutIncludes(source.value), index)))
    .reduce<MergedData>(
      (under, over) => {
        const { merged, conflicts } = merge(under, over, DEFINITION_RULES);
        for (const { message, suggestion, over: above, under: below } of conflicts) {
          const { file, line, column, path } = placeOf(above, 'key') as Required<Place>;
          const there = below && placeOf(below, 'key');
          const where = there ? `, which is at ${there.file}:${there.line}:${there.column}` : '';
          problems.push({ file, line, column, path: pathText(path), message: `${message}${where}`, suggestion });
        }
        return merged;
      },
      { value: {}, trace: { layer: sources.indexOf(main), path: [] } },
    );
  const faults = sources.flatMap(({ file, faults }) => faults.map((fault) => ({ ...fault, file })));
  const excess = findExcess(merged.value, LIMITS.fileResolved, LIMITS.fileResolved);
  if (excess) faults.push({ ...main.place([], 'value'), file: main.file, message: `with all that it includes, ${excess}` });
  if (problems.length > 0) return problems;
  return {
    file: main.file,
    value: excess ? undefined : merged.value,
    faults,
    texts: sources.flatMap(({ texts = [] }) => texts),
    place: (path, at) => placeOf(traceAt(merged.trace, path), at),
    isRaw: (path) => {
      const { layer, path: there } = traceAt(merged.trace, path);
      return sources[layer]?.isRaw?.(there) ?? false;
    },
  };
}

function withoutIncludes(value: unknown): unknown {
  if (!isRecord(value)) return {};
  const { include: _, ...rest } = value;
  return rest;
}
