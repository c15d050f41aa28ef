import { type Diff, type ServerFound, type ServerWanted, same, sameRules } from '../../../sdk/index.js';

/** No rules let in everything, an empty list lets in nothing: not the same. */
const sameFirewall = ({ firewall: a }: ServerWanted, { firewall: b }: ServerFound): boolean =>
  (a === undefined) === (b === undefined) && sameRules(a, b);

/** As a cloud has it: size, labels and more volumes in place; image, network, zone and fewer volumes by a new server. */
export function diffServer(wanted: ServerWanted, found: ServerFound): Diff {
  const names = wanted.volumes.map(({ name }) => name);
  const lost = found.volumes.filter((name) => !names.includes(name));
  const added = names.filter((name) => !found.volumes.includes(name));
  const replaced = [
    ...(found.image === wanted.image ? [] : [`image "${found.image}" becomes "${wanted.image}"`]),
    ...(found.network === undefined || found.network === wanted.network
      ? []
      : [`network "${found.network}" becomes "${wanted.network}"`]),
    ...(wanted.zone === undefined || found.zone === wanted.zone ? [] : [`zone "${found.zone}" becomes "${wanted.zone}"`]),
    ...lost.map((name) => `volume "${name}" goes`),
    ...(found.placement === wanted.placement ? [] : [`placement "${found.placement ?? ''}" becomes "${wanted.placement ?? ''}"`]),
  ];
  const updated = [
    ...(found.network === undefined ? [`it joins the network "${wanted.network}"`] : []),
    ...(found.plan === wanted.plan.name ? [] : [`plan "${found.plan}" becomes "${wanted.plan.name}"`]),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...added.map((name) => `volume "${name}" comes`),
    ...wanted.volumes.flatMap(({ name, sizeGiB }) => {
      const size = found.volumeSizes?.[name] ?? sizeGiB;
      return size === sizeGiB ? [] : [`volume "${name}" of ${size} GiB gets ${sizeGiB} GiB`];
    }),
    ...(sameFirewall(wanted, found) ? [] : ['the firewall changes']),
    ...(found.address === wanted.address ? [] : [wanted.address ? 'it gets an address of its own' : 'its own address goes']),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}
