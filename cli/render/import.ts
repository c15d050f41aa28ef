import type { ImportReport } from '../../core/drift.js';
import { columns } from '../screen.js';

/** What was found, a line for each thing that is known of it. */
export function importText({ infra: _, labels, ...found }: ImportReport): string {
  const rows = Object.entries(found).map(([key, value]) => [key, String(value)]);
  const marks = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${columns([...rows, ...(marks.length > 0 ? [['labels', marks.join(', ')]] : [])]).join('\n')}\n`;
}

/** The server as an entry of `servers` that leaves it as it is. */
export function entryOf({ name, provider, plan, image, zone, labels }: ImportReport) {
  return { name, provider, plan, ...(image ? { image } : {}), ...(zone ? { zone } : {}), ...(labels ? { labels } : {}) };
}

/** The entry as a line of YAML. */
export const entryText = (report: ImportReport): string => `- ${flow(entryOf(report))}`;

/** What YAML takes for a text without quotes, in braces as well. */
const PLAIN = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[a-z][\w./-]*$/i;
const scalar = (text: string): string => (PLAIN.test(text) ? text : JSON.stringify(text));

function flow(record: Record<string, string | Record<string, string>>): string {
  const parts = Object.entries(record).map(
    ([key, value]) => `${scalar(key)}: ${typeof value === 'string' ? scalar(value) : flow(value)}`,
  );
  return `{ ${parts.join(', ')} }`;
}
