import { same } from '../../core/hash.js';
import type { Diff, ServerFound, ServerWanted } from '../../core/provider.js';

/** As a cloud has it: size, labels and more volumes in place; image, network, zone and fewer volumes by a new server. */
export function diffServer(wanted: ServerWanted, found: ServerFound): Diff {
  const names = wanted.volumes.map(({ name }) => name);
  const lost = found.volumes.filter((name) => !names.includes(name));
  const added = names.filter((name) => !found.volumes.includes(name));
  const replaced = [
    ...(found.image === wanted.image ? [] : [`image "${found.image}" becomes "${wanted.image}"`]),
    ...(found.network === wanted.network ? [] : [`network "${found.network}" becomes "${wanted.network}"`]),
    ...(wanted.zone === undefined || found.zone === wanted.zone ? [] : [`zone "${found.zone}" becomes "${wanted.zone}"`]),
    ...lost.map((name) => `volume "${name}" goes`),
  ];
  const updated = [
    ...(found.plan === wanted.plan.name ? [] : [`plan "${found.plan}" becomes "${wanted.plan.name}"`]),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...added.map((name) => `volume "${name}" comes`),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}
