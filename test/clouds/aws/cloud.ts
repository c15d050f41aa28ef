import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Hosts } from '../machines.js';
import { publishedAt } from './amis.js';
import { ClientTokens } from './client-tokens.js';
import { EC2Error } from './ec2-error.js';
import { type Form, listed } from './form.js';
import { Lag } from './lag.js';
import { instancesIn, Machines } from './machines-of.js';
import { violationsOf } from './model.js';
import { PlacementGroups } from './placement-groups.js';
import { child, type Element, element, parse, print, textOf } from './xml.js';

export interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** Regions that an account has enabled. */
const REGIONS = [
  ...['ap-northeast-1', 'ap-south-1', 'ap-southeast-1', 'eu-central-1', 'eu-north-1', 'eu-west-1'],
  ...['us-east-1', 'us-east-2', 'us-west-2'],
];

const MAKES =
  /^(RunInstances|CreateVolume|CreateVpc|CreateSubnet|CreateInternetGateway|CreateSecurityGroup|AllocateAddress|CreatePlacementGroup)$/;

/** Error codes of AWS when an account reaches its limit for a kind. */
const LIMITS: Readonly<Record<string, string>> = {
  RunInstances: 'VcpuLimitExceeded',
  CreateVolume: 'VolumeLimitExceeded',
  CreateVpc: 'VpcLimitExceeded',
  CreateSubnet: 'SubnetLimitExceeded',
  CreateInternetGateway: 'InternetGatewayLimitExceeded',
  CreateSecurityGroup: 'SecurityGroupLimitExceeded',
  AllocateAddress: 'AddressLimitExceeded',
};

export interface CloudOptions {
  /** Address of moto. */
  moto: string;
  /** Account number of twelve digits, by which moto separates accounts. */
  account: string;
  hosts: Hosts;
  regions?: readonly string[];
}

/** Account behind the stand-in: moto, and features that moto lacks. */
export class Cloud {
  /** Requests that violate the model. */
  readonly violations: string[] = [];
  readonly machines: Machines;
  /** Whether the account has reached its limit of servers. */
  full = false;
  private readonly tokens = new ClientTokens();
  readonly placements = new PlacementGroups();
  private readonly lag = new Lag();
  private readonly terminated = new Set<string>();

  constructor(private readonly options: CloudOptions) {
    this.machines = new Machines(options.hosts);
  }

  async answer(
    form: Form,
    body: string,
    headers: IncomingHttpHeaders,
    { stale, quota }: { stale: boolean; quota: boolean },
  ): Promise<Answer> {
    this.violations.push(...violationsOf(form));
    if ((quota && MAKES.test(form.action)) || (this.full && form.action === 'RunInstances')) {
      throw new EC2Error(LIMITS[form.action] ?? 'ResourceLimitExceeded', 'You have requested more than your current limit.');
    }
    const own = this.placements.answer(form) ?? regions(form, this.options.regions);
    const once = own
      ? { status: 200, body: print(own), again: false }
      : await this.tokens.once(form, () => this.forward(form, body, headers));
    if (once === 'mismatch') {
      throw new EC2Error(
        'IdempotentParameterMismatch',
        'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
      );
    }
    if (once.status !== 200) return once;
    const answer = parse(once.body);
    if (once.again) this.refuseEnded(answer, form);
    else await this.follow(form, answer);
    this.machines.seen(answer);
    this.place(answer);
    if (form.action === 'DescribeImages') date(answer);
    if (stale && form.action.startsWith('Describe')) this.lag.hide(answer);
    return { status: 200, body: this.machines.addressed(print(answer)) };
  }

  private async forward(form: Form, body: string, headers: IncomingHttpHeaders): Promise<{ status: number; body: string }> {
    const placement = form.values.get('Placement.GroupName');
    if (placement) this.placements.require(form, placement);
    const response = await fetch(this.options.moto, {
      method: 'POST',
      headers: {
        'content-type': headers['content-type'] ?? '',
        'x-moto-account-id': this.options.account,
        authorization: headers.authorization ?? '',
        'x-amz-date': String(headers['x-amz-date'] ?? ''),
      },
      body,
    });
    return { status: response.status, body: await response.text() };
  }

  /** Applies the effects of a successful request. */
  private async follow(form: Form, answer: Element): Promise<void> {
    this.lag.made(form, answer);
    if (form.action === 'RunInstances') {
      await this.machines.made(answer, form);
      const group = form.values.get('Placement.GroupName');
      for (const instance of instancesIn(answer))
        if (group) this.placements.members.set(textOf(instance, 'instanceId') ?? '', group);
    }
    if (/^(Start|Stop|Terminate)Instances$/.test(form.action)) {
      const ids = listed(form, 'InstanceId');
      await this.machines.changed(form, ids);
      if (form.action === 'TerminateInstances') {
        for (const id of ids) {
          this.placements.members.delete(id);
          this.terminated.add(id);
        }
      }
    }
    if (form.action === 'DescribeAddresses') {
      for (const item of child(answer, 'addressesSet')?.children ?? []) {
        const [address, instance] = [textOf(item, 'publicIp'), textOf(item, 'instanceId')];
        if (address && instance) this.machines.points(address, instance);
      }
    }
  }

  /** A token belongs to the resource that it created, even after its deletion. */
  private refuseEnded(answer: Element, { action }: Form): void {
    const ended = instancesIn(answer).some((instance) => this.terminated.has(textOf(instance, 'instanceId') ?? ''));
    if (action === 'RunInstances' && ended) {
      throw new EC2Error(
        'IdempotentInstanceTerminated',
        'The request uses the same client token as a previous request for which the instance has been terminated.',
      );
    }
  }

  private place(answer: Element): void {
    for (const instance of instancesIn(answer)) {
      const placement = child(instance, 'placement');
      const group = this.placements.members.get(textOf(instance, 'instanceId') ?? '');
      if (placement)
        placement.children = [...placement.children.filter(({ name }) => name !== 'groupName'), element('groupName', group ?? '')];
    }
  }

  close(): Promise<void> {
    return this.machines.close();
  }
}

function date(answer: Element): void {
  for (const image of child(answer, 'imagesSet')?.children ?? []) {
    const [field, published] = [child(image, 'creationDate'), publishedAt(textOf(image, 'name') ?? '')];
    if (field && published) field.text = published;
  }
}

function regions({ action }: Form, names: readonly string[] = REGIONS): Element | undefined {
  if (action !== 'DescribeRegions') return undefined;
  const regionInfo = names.map((regionName) => ({
    regionName,
    regionEndpoint: `ec2.${regionName}.amazonaws.com`,
    optInStatus: 'opt-in-not-required',
  }));
  return element('DescribeRegionsResponse', { requestId: randomUUID(), regionInfo });
}
