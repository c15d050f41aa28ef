import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';

/**
 * Sets missing search attributes of a workflow, so lists and filters find it by its request. A client that starts a
 * workflow without them, or with other ones, cannot hide it.
 */
export function listAs(values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>): void {
  const known = workflowInfo().searchAttributes;
  const wanted = Object.entries(values).map(([name, value]) => [SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES], value]);
  const missing = wanted.filter(([name = '', value]) => (known[name] as string[] | undefined)?.[0] !== value);
  // An upsert costs as much as a step. Workflows that the platform started need none.
  if (missing.length > 0) upsertSearchAttributes(Object.fromEntries(missing.map(([name, value]) => [name, [value]])));
}
