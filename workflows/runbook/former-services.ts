import type { FormerServices } from '../../activities/service/units/former-services.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import { peersFor, peersOf } from '../../core/definition/peers.js';
import { memoizeByKey } from '../../core/definition/service-order.js';
import { same } from '../../core/encoding/hash.js';
import type { InventoryService } from '../../core/infra/inventory.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { AnyPhase, DecisionState } from '../operation/operation.js';
import { findWorked } from './worked-on.js';

/** All hosts look at the same ones. */
const peersIn = memoizeByKey(peersOf);

/**
 * Former goals of these services. The difference to the present goals is the purpose of the operation, and the rest is
 * repair. A service with unknown former peers counts as not wanted before.
 */
export function formerServicesOf(
  operation: AnyPhase & DecisionState,
  work: WorkScope,
  server: string,
  wanted: readonly TaskservSpec[],
): FormerServices {
  const { request, inventory, applies, decided } = operation;
  // As it was when the operation decided: what it has done since is no former state.
  const { servers, definition, peers } = decided?.before ?? inventory;
  const known = servers[server]?.services ?? {};
  const written = definition?.servers.find(({ name }) => name === server)?.taskservs ?? [];
  const areOthersKnown = applies === undefined || applies.inForce === true;
  const peersThen = peers ?? (areOthersKnown && definition ? peersIn(definition) : work.peers);
  const peersOfHost = (all: WorkScope['peers'], spec: TaskservSpec) => peersFor(all, [server], [spec]);
  const ensure: TaskservSpec[] = [];
  const fresh: string[] = [];
  for (const spec of wanted) {
    const before = known[spec.name];
    const looksAtOthers = spec.uses === undefined || spec.uses.length > 0;
    const worksOnNew = findWorked(operation, work, spec).some(({ begins }) => begins);
    if (worksOnNew || !before || before.since === request.id || (!areOthersKnown && looksAtOthers)) {
      fresh.push(spec.name);
      continue;
    }
    const then = formerSpec(spec, before, written);
    const isSame = same(then, spec) && same(peersOfHost(peersThen, then), peersOfHost(work.peers, spec));
    if (!isSame) ensure.push(then);
  }
  return {
    ...(ensure.length > 0 && { ensure, peers: peersFor(peersThen, [server], ensure) }),
    ...(fresh.length > 0 && { fresh }),
  };
}

/** As the last definition has it, where that is what was installed. */
function formerSpec(
  spec: TaskservSpec,
  { version, config, module }: InventoryService,
  written: readonly TaskservSpec[],
): TaskservSpec {
  const known = written.find(({ name }) => name === spec.name);
  if (known && known.version === version && known.module === module && same(known.config, config)) return known;
  const { module: _, ...now } = spec;
  return { ...now, version, config, ...(module !== undefined && { module }) };
}
