import { parse } from 'yaml';
import * as z from 'zod';

/** Characters of what an index says of one chart: parsing more takes long. */
const LONGEST = 5_000_000;

const listed = z
  .array(z.object({ version: z.string().max(200), deprecated: z.boolean().nullish() }))
  .min(1)
  .max(20_000);

/** What an index of charts says of one. */
export interface ChartVersions {
  /** As they are written there. */
  versions: string[];
  /** The newest one is marked so: its repository does not look after it any more. */
  deprecated: boolean;
}

/**
 * Reads the part of an `index.yaml` that is about a chart; undefined where there is none. Only that part is parsed: whole
 * indexes are large, and parsing YAML is slow.
 *
 * @throws Error where that part is no YAML, or too long
 */
export function chartIndex(text: string, chart: string): ChartVersions | undefined {
  const part = partOf(text, chart);
  if (part !== undefined && part.length > LONGEST) throw new Error(`its entry of ${chart} is too long`);
  const read = listed.safeParse(part === undefined ? undefined : parse(part, { maxAliasCount: 0 }));
  if (!read.success) return undefined;
  return { versions: read.data.map(({ version }) => version), deprecated: read.data[0]?.deprecated === true };
}

/** The lines below the name of a chart, in the form in which Helm writes an index. */
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
  // The list of a chart may begin in the column of its name.
  const next = rest.findIndex((line) => line.trim() !== '' && depthOf(line) === depth && !line.startsWith('- ', depth));
  return (next === -1 ? rest : rest.slice(0, next)).join('\n');
}

const depthOf = (line: string): number => line.length - line.trimStart().length;
