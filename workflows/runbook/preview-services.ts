import type { RanOnHost } from '../../core/host/ran-command.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { ServerDecision } from './server-decision.js';

/** The commands of the definition that were run to see how the hosts are. */
export const listRanOnHosts = (decisions: readonly ServerDecision[]): RanOnHost[] =>
  decisions.flatMap(({ server, services }) => services.flatMap(({ ran = [] }) => ran.map((one) => ({ on: server, ...one }))));

/** The lines of the preview that concern services. */
export function previewServices(decisions: ServerDecision[]): PlannedStep[] {
  return decisions.flatMap(({ server, expected, services }) =>
    services.flatMap(({ taskserv, steps, changes, repairs }) =>
      steps.map(
        (step, index): PlannedStep => ({
          ...{ on: server, taskserv, title: step.title, step, ...changes?.[index] },
          ...(expected ? { expected } : {}),
          ...(repairs?.includes(index) ? { repair: true } : {}),
        }),
      ),
    ),
  );
}
