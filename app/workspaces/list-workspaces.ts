import { groupByKey } from '../../core/grouped.js';
import { isTestWorkspace } from '../../core/names.js';
import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { attributeOf, formatCondition, listWorkflows, OPEN } from '../temporal/visibility.js';

/** The workspaces in which there are infras, by name; those of test environments are left out. */
export async function listWorkspaces({ temporal }: Engine): Promise<{ name: string; infras: number }[]> {
  const names: string[] = [];
  try {
    for await (const info of listWorkflows(temporal, `${formatCondition('kind', 'infra')} AND ${OPEN}`))
      names.push(attributeOf(info, 'workspace'));
  } catch (error) {
    throw translateFault(error, 'the list of workspaces');
  }
  return [...groupByKey(names, (name) => name)]
    .filter(([name]) => name !== '' && !isTestWorkspace(name))
    .map(([name, all]) => ({ name, infras: all.length }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
