import Docker from 'dockerode';

/**
 * The address of this machine at which hosts reach it by Docker's bridge. An engine that has made its bridge in this run
 * does not tell the gateway, which is the first address of the network.
 */
export async function bridgeAddress(): Promise<string> {
  const { IPAM } = await new Docker().getNetwork('bridge').inspect();
  const { Gateway, Subnet = '' } = IPAM?.Config?.[0] ?? {};
  const first = /^(\d+\.\d+\.\d+)\.0\//.exec(Subnet)?.[1];
  if (Gateway) return Gateway;
  if (first === undefined) throw new Error('the bridge of the Docker Engine has no address');
  return `${first}.1`;
}
