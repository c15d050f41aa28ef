import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';

/**
 * Sees that a workflow is found by lists and filters under what it was asked to do: whoever starts one without
 * search attributes, or with those of another, does not hide it.
 */
export function listAs(values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>): void {
  const known = workflowInfo().searchAttributes;
  const wanted = Object.entries(values).map(([name, value]) => [SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES], value]);
  const missing = wanted.filter(([name = '', value]) => (known[name] as string[] | undefined)?.[0] !== value);
  // An upsert costs as much as a step: what was started by a client of ours needs none.
  if (missing.length > 0) upsertSearchAttributes(Object.fromEntries(missing.map(([name, value]) => [name, [value]])));
}
