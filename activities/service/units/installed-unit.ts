import type { TaskservSpec } from '../../../core/definition/definition.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import type { AnyTaskserv, HealthContext } from '../../../core/taskserv/taskserv.js';
import { refuseDetour, refuseUnsupported } from '../unfit-hosts.js';

/**
 * A taskserv that is to be there.
 *
 * @param guess what is known before the host was looked at: health checks are asked along with the facts
 */
export function installedUnit(
  taskserv: AnyTaskserv,
  { name, config, version, endpoints }: TaskservSpec,
  guess: HealthContext,
): AnyUnit {
  return {
    unit: name,
    stage: 'install',
    facts: taskserv.facts(config),
    health: { checks: taskserv.health(config, guess), endpoints },
    config,
    refuse: (host) => refuseUnsupported(taskserv, host),
    plan({ found, why, toDo, installed }, around) {
      refuseDetour(taskserv, around.host.name, taskserv.installed(found), version);
      const steps = toDo(taskserv.plan(config, found, { ...around, version }));
      return { steps, installed: installed(taskserv.installed, version, steps), healthy: why === undefined, why };
    },
  };
}
