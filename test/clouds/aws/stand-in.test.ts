import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Form, formOf } from './form.js';
import { data, violationsOf, whyUnchecked } from './model.js';
import { whyNoMoto } from './moto.js';
import { type AwsStandIn, startAws } from './stand-in.js';
import { parse, print } from './xml.js';

const form = (action: string, values: Record<string, string> = {}): Form => ({
  action,
  values: new Map(Object.entries({ Action: action, Version: '2016-11-15', ...values })),
  region: 'eu-central-1',
});

interface Trace {
  interactions: { request: { form: Record<string, string> }; response: { status: number; body: string } }[];
}

const folder = `${data}/aws-ec2-moto-traces`;
const traces = existsSync(folder) ? readdirSync(folder) : [];
const interactions = traces.flatMap((name) => (JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Trace).interactions);

describe.skipIf(whyUnchecked)(`the model of EC2${whyUnchecked ? ` (left out: ${whyUnchecked})` : ''}`, () => {
  it('knows every request that the SDK was recorded with', () => {
    expect(interactions.length).toBeGreaterThan(20);
    expect(
      interactions.flatMap(({ request }) => violationsOf(formOf(new URLSearchParams(request.form).toString(), undefined))),
    ).toEqual([]);
  });

  it('tells an action, a parameter and a missing parameter apart', () => {
    expect(violationsOf(form('StartMachine'))).toEqual(['EC2 knows no action StartMachine']);
    expect(violationsOf(form('DescribeVpcs', { Colour: 'red' }))).toEqual(['DescribeVpcs has no parameter Colour']);
    expect(violationsOf(form('RunInstances', { MinCount: '1', 'NetworkInterface.1.Group.1': 'sg-1' }))).toEqual([
      'RunInstances has no parameter NetworkInterface.1.Group.1',
      'RunInstances needs MaxCount',
    ]);
  });
});

it.skipIf(interactions.length === 0)('answers of EC2 are read and written without loss', () => {
  for (const { response } of interactions.filter(({ response }) => response.status === 200)) {
    const again = parse(print(parse(response.body)));
    expect(again).toEqual(parse(response.body));
  }
});

const problem = await whyNoMoto();

describe.skipIf(problem)(`the stand-in of AWS${problem ? ` (left out: ${problem})` : ''}`, () => {
  let standIn: AwsStandIn;
  beforeAll(async () => {
    standIn = await startAws();
  });
  afterAll(() => standIn?.close());

  const image = async () => (await (await standIn.client()).describeImages({ Owners: ['136693071363'] })).Images?.[0]?.ImageId;
  const run = async (ClientToken: string, type: 't3.small' | 't3.large' = 't3.small') => {
    const ImageId = await image();
    const answer = await (await standIn.client()).runInstances({
      MinCount: 1,
      MaxCount: 1,
      ImageId,
      InstanceType: type,
      ClientToken,
    });
    return answer.Instances?.[0]?.InstanceId ?? '';
  };

  it('makes an instance once for a token, also of two at once', async () => {
    const ids = await Promise.all([run('once'), run('once')]);
    expect([...ids, await run('once')]).toEqual([ids[0], ids[0], ids[0]]);
    expect(await run('twice')).not.toBe(ids[0]);
  });

  it('refuses a token with other parameters, and one whose instance is gone', async () => {
    const id = await run('used');
    await expect(run('used', 't3.large')).rejects.toMatchObject({ name: 'IdempotentParameterMismatch' });
    await (await standIn.client()).terminateInstances({ InstanceIds: [id] });
    await expect(run('used')).rejects.toMatchObject({ name: 'IdempotentInstanceTerminated' });
  });

  it('shows what was made last to no read that lags', async () => {
    const ec2 = await standIn.client();
    const { Vpc } = await ec2.createVpc({ CidrBlock: '10.9.0.0/16' });
    const seen = async () => (await ec2.describeVpcs({})).Vpcs?.some(({ VpcId }) => VpcId === Vpc?.VpcId);
    standIn.faults.plan({ kind: 'stale' });
    expect([await seen(), await seen()]).toEqual([false, true]);
  });

  it('keeps a placement group while an instance is in it', async () => {
    const ec2 = await standIn.client();
    const GroupName = 'apart';
    await ec2.createPlacementGroup({ GroupName, Strategy: 'spread' });
    const { Instances: [made] = [] } = await ec2.runInstances({
      MinCount: 1,
      MaxCount: 1,
      ImageId: await image(),
      InstanceType: 't3.small',
      Placement: { GroupName },
    });
    await expect(ec2.createPlacementGroup({ GroupName })).rejects.toMatchObject({ name: 'InvalidPlacementGroup.Duplicate' });
    await expect(ec2.deletePlacementGroup({ GroupName })).rejects.toMatchObject({ name: 'InvalidPlacementGroup.InUse' });
    await ec2.terminateInstances({ InstanceIds: [made?.InstanceId ?? ''] });
    await ec2.deletePlacementGroup({ GroupName });
    expect((await ec2.describePlacementGroups({})).PlacementGroups).toEqual([]);
  });

  it('ends with an error after a request that the model does not know', async ({ skip }) => {
    skip(whyUnchecked !== undefined, whyUnchecked);
    const other = await startAws({ regions: ['eu-central-1'] });
    await fetch(other.url, { method: 'POST', body: new URLSearchParams({ Action: 'DescribeVpcs', Colour: 'red' }) });
    await expect(other.close()).rejects.toThrow('DescribeVpcs has no parameter Colour');
  });
});
