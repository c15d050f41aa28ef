import { afterAll, beforeAll, describe } from 'vitest';
import type { Scope } from '../../core/machine/call-context.js';
import { aws } from '../../providers/aws/index.js';
import { whyNoMoto } from '../clouds/aws/moto.js';
import { type AwsStandIn, startAws } from '../clouds/aws/stand-in.js';
import { providerContract } from './provider-contract.js';

const problem = await whyNoMoto();

describe.skipIf(problem)(`aws keeps the contract of a provider${problem ? ` (left out: ${problem})` : ''}`, () => {
  let standIn: AwsStandIn;
  beforeAll(async () => {
    standIn = await startAws();
  });
  afterAll(() => standIn?.close());

  /** Direct access to the stand-in, without the provider. */
  const ec2 = () => standIn.client();
  const marked = (uuid: string, name: string) => [
    { Name: 'tag:provisioning.uuid', Values: [uuid] },
    { Name: 'tag:provisioning.name', Values: [name] },
  ];
  const instances = async ({ uuid }: Scope, name: string) => {
    const { Reservations = [] } = await (await ec2()).describeInstances({ Filters: marked(uuid, name) });
    return Reservations.flatMap(({ Instances = [] }) => Instances);
  };

  providerContract({
    provider: aws,
    connect: () => aws.connect(aws.config.parse({ pollMs: 10 }), { env: standIn.env, secret: async () => undefined }),
    countCreated: async (scope, name) => (await instances(scope, name)).length,
    async stop(scope, name) {
      const running = (await instances(scope, name)).filter(({ State }) => State?.Name === 'running');
      await (await ec2()).stopInstances({ InstanceIds: running.map(({ InstanceId = '' }) => InstanceId) });
    },
    async detach({ uuid }, name) {
      const { Volumes: [volume] = [] } = await (await ec2()).describeVolumes({ Filters: marked(uuid, name) });
      await (await ec2()).detachVolume({ VolumeId: volume?.VolumeId, InstanceId: volume?.Attachments?.[0]?.InstanceId });
    },
    async makeStranger(name) {
      const { Images: [image] = [] } = await (await ec2()).describeImages({ Owners: ['136693071363'] });
      const Tags = [{ Key: 'Name', Value: name }];
      const { Instances: [made] = [] } = await (await ec2()).runInstances({
        MinCount: 1,
        MaxCount: 1,
        ImageId: image?.ImageId,
        InstanceType: 't3.small',
        TagSpecifications: [{ ResourceType: 'instance', Tags }],
      });
      return made?.InstanceId ?? '';
    },
    async makeNetwork() {
      const { Vpc } = await (await ec2()).createVpc({ CidrBlock: '10.77.0.0/16' });
      await (await ec2()).createSubnet({ VpcId: Vpc?.VpcId, CidrBlock: '10.77.1.0/24' });
      const id = Vpc?.VpcId ?? '';
      const isThere = async () =>
        ((await (await ec2()).describeSubnets({ Filters: [{ Name: 'vpc-id', Values: [id] }] })).Subnets?.length ?? 0) > 0;
      return { id, isThere };
    },
    async fill(full) {
      standIn.cloud.full = full;
    },
    userData: async (scope, name) => standIn.cloud.machines.userData((await instances(scope, name)).at(-1)?.InstanceId ?? ''),
  });
});
