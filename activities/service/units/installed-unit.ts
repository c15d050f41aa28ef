import type { TaskservSpec } from '../../../core/definition/definition.js';
import { ARCHIVE, archiveFact, newerIn, upgradeSteps } from '../../../core/host/archive.js';
import { deliverFromWorker } from '../../../core/host/artifact.js';
import type { Step } from '../../../core/host/step.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import type { AnyTaskserv, HealthContext } from '../../../core/taskserv/taskserv.js';
import { refuseDetour, refuseUnsupported } from '../unfit-hosts.js';
import { refuseOtherRelease, versionOn } from '../version-on-host.js';

/**
 * Creates the unit of a wanted taskserv.
 *
 * @param guess context before the look at the host: health checks are queried together with the facts
 * @param archive whether the host's archive is queried for a newer package, too
 */
export function createInstalledUnit(taskserv: AnyTaskserv, spec: TaskservSpec, guess: HealthContext, archive?: true): AnyUnit {
  const { name, config, endpoints, upgrade, mirrors, artifacts } = spec;
  const facts = taskserv.facts(config, spec.version);
  const newer = archive && archiveFact(facts);
  return {
    unit: name,
    stage: 'install',
    facts: newer ? { ...facts, [ARCHIVE]: newer } : facts,
    health: { checks: taskserv.health(config, guess), endpoints },
    config,
    ...(taskserv.explain && { explain: taskserv.explain }),
    refuse(host) {
      refuseUnsupported(taskserv, host);
      refuseOtherRelease(taskserv, spec, host);
    },
    plan({ found, why, toDo, installed }, { groups, ...around }) {
      const version = versionOn(taskserv, spec, around.host);
      refuseDetour(taskserv, around.host.name, taskserv.installed(found), version);
      const group = groups?.[name];
      const context = { ...around, version, ...(mirrors && { mirrors }), ...(group && { group }) };
      const planned = (from: typeof found) => {
        const steps = taskserv.plan(config, from, context);
        return artifacts === 'from-worker' ? steps.map(broughtByWorker) : steps;
      };
      const steps = toDo(upgrade ? upgradeSteps(planned, found, facts, upgrade) : planned(found));
      const state = { steps, installed: installed(taskserv.installed, version, steps), healthy: why === undefined, why };
      const change = newer && newerIn(found);
      return { ...state, ...(change && { newer: change }) };
    },
  };
}

/** A step that has the host fetch an artifact, for one that cannot. */
const broughtByWorker = (step: Step): Step =>
  'artifact' in step && step.artifact.state === 'present' ? { ...step, artifact: deliverFromWorker(step.artifact) } : step;
