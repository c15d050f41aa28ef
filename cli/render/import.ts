import { stringify } from 'yaml';
import type { ImportReport } from '../../core/operation/drift.js';
import { columns } from '../program/screen.js';

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
export const entryText = (report: ImportReport): string =>
  `- ${stringify(entryOf(report), { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()}`;
