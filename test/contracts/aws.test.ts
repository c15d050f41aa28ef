import { afterAll, beforeAll, describe } from 'vitest';
import type { Scope } from '../../core/provider.js';
import { aws } from '../../providers/aws/aws.js';
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

  /** Straight to the stand-in, not by way of the provider. */
  const ec2 = async () => {
    const { EC2 } = await import('@aws-sdk/client-ec2');
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '', AWS_REGION: region } = standIn.env;
    return new EC2({ endpoint: standIn.url, region, credentials: { accessKeyId, secretAccessKey } });
  };
  const instances = async ({ uuid }: Scope, name: string) => {
    const Filters = [
      { Name: 'tag:provisioning.uuid', Values: [uuid] },
      { Name: 'tag:provisioning.name', Values: [name] },
    ];
    const { Reservations = [] } = await (await ec2()).describeInstances({ Filters });
    return Reservations.flatMap(({ Instances = [] }) => Instances);
  };

  providerContract({
    provider: aws,
    connect: () => aws.connect(aws.config.parse({ pollMs: 10 }), { env: standIn.env, secret: async () => undefined }),
    countCreated: async (scope, name) => (await instances(scope, name)).length,
    stop: async (scope, name) => {
      const running = (await instances(scope, name)).filter(({ State }) => State?.Name === 'running');
      await (await ec2()).stopInstances({ InstanceIds: running.map(({ InstanceId = '' }) => InstanceId) });
    },
  });
});
