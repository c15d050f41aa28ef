import { stringify } from 'yaml';
import type { ImportReport } from '../../core/operation/drift.js';
import { columns } from '../program/screen.js';

/** Renders the imported resource, one line per property. */
export function importText({ infra: _, labels, ...found }: ImportReport): string {
  const rows = Object.entries(found).map(([key, value]) => [key, String(value)]);
  const marks = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${columns([...rows, ...(marks.length > 0 ? [['labels', marks.join(', ')]] : [])]).join('\n')}\n`;
}

/** Returns an entry of `servers` that leaves the server unchanged. */
export function entryOf({ name, provider, plan, image, zone, labels }: ImportReport) {
  return { name, provider, plan, ...(image ? { image } : {}), ...(zone ? { zone } : {}), ...(labels ? { labels } : {}) };
}

/** Returns the entry as a line of YAML. */
export const entryText = (report: ImportReport): string =>
  `- ${stringify(entryOf(report), { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()}`;
