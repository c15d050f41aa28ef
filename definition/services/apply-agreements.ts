import { accountIn } from '../../core/machine/account.js';
import type { AgreeingServer } from '../../core/taskserv/agreement.js';
import type { Findings } from '../source/findings.js';
import type { FurnishedServer } from './furnished.js';
import type { PlacedService } from './settle-services.js';

interface Placement {
  at: FurnishedServer;
  placed: PlacedService;
}

/**
 * Lets each taskserv decide what the configurations of all its servers say together (`agree`), and reports what does not
 * fit. A service whose configuration has a fault takes no part.
 */
export function applyAgreements(all: readonly FurnishedServer[], findings: Findings): void {
  const byTaskserv = new Map<PlacedService['taskserv'], Placement[]>();
  for (const at of all)
    for (const placed of at.placed)
      if (placed.taskserv.agree && placed.spec.config !== undefined)
        byTaskserv.set(placed.taskserv, [...(byTaskserv.get(placed.taskserv) ?? []), { at, placed }]);
  const everywhere = [...new Set(all.flatMap(({ placed }) => placed.map(({ spec }) => spec.name)))];
  for (const [taskserv, placements] of byTaskserv) {
    const agreed = taskserv.agree?.(placements.map((one) => agreeingServer(one, everywhere)));
    if (!agreed) continue;
    placements.forEach(({ at, placed }, index) => {
      placed.spec.config = agreed.configs[index];
      const reached = agreed.reaches?.[at.server.spec.name] ?? [];
      const others = reached.map((server) => ({ server, taskserv: taskserv.name }));
      if (others.length > 0) placed.spec.refersTo = [...(placed.spec.refersTo ?? []), ...others];
    });
    const places = new Map(placements.map(({ at, placed }) => [at.server.spec.name, placed.path]));
    for (const { server, at, message, suggestion, warning } of agreed.disagreements) {
      const path = [...(places.get(server) ?? []), 'config', ...at];
      if (warning) findings.warn(path, message, suggestion);
      else findings.value(path, message, suggestion);
    }
  }
}

function agreeingServer(
  { at: { server, placed: beside }, placed }: Placement,
  everywhere: readonly string[],
): AgreeingServer<unknown> {
  const { name, provider, network, networkRange, host } = server.spec;
  return {
    ...{ server: name, config: placed.spec.config, provider: accountIn(provider).provider, network },
    ...(networkRange !== undefined && { networkRange }),
    ...(host && { host }),
    everywhere,
    beside: Object.fromEntries(beside.map(({ spec }) => [spec.name, spec.endpoints])),
  };
}
