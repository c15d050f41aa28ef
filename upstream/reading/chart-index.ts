import { parse } from 'yaml';
import * as z from 'zod';

/** Maximum length of a chart's entry in an index, in characters: parsing more is slow. */
const LONGEST = 5_000_000;

const listed = z
  .array(z.object({ version: z.string().max(200), deprecated: z.boolean().nullish() }))
  .min(1)
  .max(20_000);

/** Versions of a chart in an index. */
export interface ChartVersions {
  /** As written in the index. */
  versions: string[];
  /** The newest version is marked as deprecated: its repository no longer maintains the chart. */
  deprecated: boolean;
}

/**
 * Reads a chart's entry of an `index.yaml`; undefined if the index has no such entry. Only that entry is parsed: whole
 * indexes are large, and parsing YAML is slow.
 *
 * @throws Error if that entry is not YAML, or too long
 */
export function chartIndex(text: string, chart: string): ChartVersions | undefined {
  const part = partOf(text, chart);
  if (part !== undefined && part.length > LONGEST) throw new Error(`its entry of ${chart} is too long`);
  const read = listed.safeParse(part === undefined ? undefined : parse(part, { maxAliasCount: 0 }));
  if (!read.success) return undefined;
  return { versions: read.data.map(({ version }) => version), deprecated: read.data[0]?.deprecated === true };
}

/** Returns the lines below the name of a chart, in the format in which Helm writes an index. */
function partOf(text: string, chart: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const entries = lines.findIndex((line) => /^entries:\s*$/.test(line));
  if (entries === -1) return undefined;
  const below = lines.slice(entries + 1);
  const depth = depthOf(below.find((line) => line.trim() !== '') ?? '');
  if (depth === 0) return undefined;
  const names = [`${chart}:`, `"${chart}":`, `'${chart}':`].map((name) => `${' '.repeat(depth)}${name}`);
  const end = below.findIndex((line) => line.trim() !== '' && depthOf(line) < depth);
  const charts = end === -1 ? below : below.slice(0, end);
  const at = charts.findIndex((line) => names.includes(line.trimEnd()));
  if (at === -1) return undefined;
  const rest = charts.slice(at + 1);
  // The list of a chart may start in the column of its name.
  const next = rest.findIndex((line) => line.trim() !== '' && depthOf(line) === depth && !line.startsWith('- ', depth));
  return (next === -1 ? rest : rest.slice(0, next)).join('\n');
}

const depthOf = (line: string): number => line.length - line.trimStart().length;
