import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { OmissionLog } from './operation.js';

/** Why a service has to be left out: its server, or something that it comes after, was. */
export function explainLeftOut(
  { leftOut }: Pick<OmissionLog, 'leftOut'>,
  { ensureServices }: WorkScope,
  server: ServerSpec,
  { after }: TaskservSpec,
): string | undefined {
  if (leftOut.size === 0) return undefined;
  const before = ensureServices.flatMap(({ server: { name }, taskservs }) =>
    taskservs.filter((other) => after.includes(other.name)).map((other) => `${name}/${other.name}`),
  );
  return [server.name, ...before].map((on) => leftOut.get(on)).find((why) => why !== undefined);
}
