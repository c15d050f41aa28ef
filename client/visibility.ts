import type { WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../core/names.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** Search attributes as a workflow is started with them. */
export const attributesFrom = (values: Partial<Record<Name, string>>) =>
  Object.entries(values).map(([name, value]) => ({
    key: defineSearchAttributeKey(SEARCH_ATTRIBUTES[name as Name], 'KEYWORD'),
    value,
  }));

/** What a listed workflow has of an attribute; empty where it has none. */
export const attributeOf = ({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>, name: Name): string =>
  String((searchAttributes?.[SEARCH_ATTRIBUTES[name]] as unknown[] | undefined)?.[0] ?? '');

/** A condition of a list's query. */
export const whereIs = (name: Name, value: string): string => `${SEARCH_ATTRIBUTES[name]} = '${value.replaceAll("'", "''")}'`;
