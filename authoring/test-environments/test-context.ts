import { testWorkspaceOf } from '../../core/names.js';
import type { Context } from '../context.js';

/**
 * Returns the context in the workspace for test environments. Their keys and secrets are separate, and they do not
 * appear among the workspace's infras. The folder stays the same, with its own taskservs.
 */
export function testContext<C extends Context>(context: C): C {
  const name = testWorkspaceOf(context.workspace);
  const { registered } = context.chosen ?? {};
  const chosen = { name, by: 'option' as const, ...(registered && { registered }) };
  return Object.create(context, { workspace: { value: name }, chosen: { value: chosen } });
}
