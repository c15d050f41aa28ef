import type { WorkflowExecutionInfo } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** What a listed workflow has of an attribute; empty where it has none. */
export const attributeOf = ({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>, name: Name): string =>
  String((searchAttributes?.[SEARCH_ATTRIBUTES[name]] as unknown[] | undefined)?.[0] ?? '');

/** A condition of a list's query. */
export const whereIs = (name: Name, value: string): string => `${SEARCH_ATTRIBUTES[name]} = '${value.replaceAll("'", "''")}'`;
