import type { PlannedStep } from '../../core/operation/operation.js';
import type { ServerDecision } from './service-phases.js';

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
