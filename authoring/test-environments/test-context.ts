import { testWorkspaceOf } from '../../core/names.js';
import type { Context } from '../context.js';

/**
 * The same in the workspace of the test environments: what they are made of has keys and secrets of its own, and is in
 * no list of the workspace's infras. Its folder, with taskservs of its own, stays.
 */
export function testContext<C extends Context>(context: C): C {
  const name = testWorkspaceOf(context.workspace);
  const { registered } = context.chosen ?? {};
  const chosen = { name, by: 'option' as const, ...(registered && { registered }) };
  return Object.create(context, { workspace: { value: name }, chosen: { value: chosen } });
}
