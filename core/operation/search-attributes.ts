import { SEARCH_ATTRIBUTES } from '../names.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** Search attributes as a workflow is started with them. */
export const attributesFrom = (values: Partial<Record<Name, string>>) =>
  Object.entries(values).map(([name, value]) => ({
    key: { name: SEARCH_ATTRIBUTES[name as Name], type: 'KEYWORD' as const },
    value,
  }));
