import type { EC2 } from '@aws-sdk/client-ec2';

const ALIVE = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };

/** Counts the servers with this name. */
export async function serversOf(ec2: EC2, name: string): Promise<number> {
  const Filters = [ALIVE, { Name: 'tag:provisioning.name', Values: [name] }];
  const { Reservations = [] } = await ec2.describeInstances({ Filters });
  return Reservations.flatMap(({ Instances = [] }) => Instances).length;
}

/** Lists the resources that an account did not have when it was opened. */
export async function remains(ec2: EC2): Promise<string[]> {
  const [instances, volumes, vpcs, subnets, gateways, groups, addresses, interfaces] = await Promise.all([
    ec2.describeInstances({ Filters: [ALIVE] }),
    ec2.describeVolumes({}),
    ec2.describeVpcs({}),
    ec2.describeSubnets({}),
    ec2.describeInternetGateways({}),
    ec2.describeSecurityGroups({}),
    ec2.describeAddresses({}),
    ec2.describeNetworkInterfaces({}),
  ]);
  const own = new Set(vpcs.Vpcs?.filter(({ IsDefault }) => !IsDefault).map(({ VpcId }) => VpcId));
  return [
    ...(instances.Reservations ?? []).flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => `instance ${InstanceId}`)),
    ...(volumes.Volumes ?? []).map(({ VolumeId }) => `volume ${VolumeId}`),
    ...[...own].map((id) => `vpc ${id}`),
    ...(subnets.Subnets ?? []).filter(({ VpcId }) => own.has(VpcId)).map(({ SubnetId }) => `subnet ${SubnetId}`),
    ...(gateways.InternetGateways ?? []).map(({ InternetGatewayId }) => `gateway ${InternetGatewayId}`),
    ...(groups.SecurityGroups ?? [])
      .filter(({ GroupName }) => GroupName !== 'default')
      .map(({ GroupName }) => `group ${GroupName}`),
    ...(addresses.Addresses ?? []).map(({ PublicIp }) => `address ${PublicIp}`),
    ...(interfaces.NetworkInterfaces ?? []).map(({ NetworkInterfaceId }) => `interface ${NetworkInterfaceId}`),
  ];
}
