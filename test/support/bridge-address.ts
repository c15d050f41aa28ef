import Docker from 'dockerode';

/**
 * Returns the address at which hosts reach this machine through Docker's bridge. Docker does not report the gateway of
 * a bridge that was created in this run. It is the first address of the network.
 */
export async function bridgeAddress(): Promise<string> {
  const { IPAM } = await new Docker().getNetwork('bridge').inspect();
  const { Gateway, Subnet = '' } = IPAM?.Config?.[0] ?? {};
  const first = /^(\d+\.\d+\.\d+)\.0\//.exec(Subnet)?.[1];
  if (Gateway) return Gateway;
  if (first === undefined) throw new Error('the bridge of the Docker Engine has no address');
  return `${first}.1`;
}
