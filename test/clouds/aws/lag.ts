import type { Form } from './form.js';
import { below, type Element, textOf } from './xml.js';

const IDS: Readonly<Record<string, string>> = {
  RunInstances: 'instanceId',
  CreateVolume: 'volumeId',
  CreateVpc: 'vpcId',
  CreateSubnet: 'subnetId',
  CreateInternetGateway: 'internetGatewayId',
  CreateSecurityGroup: 'groupId',
  AllocateAddress: 'allocationId',
  CreatePlacementGroup: 'groupId',
};

/** Hides the resource that the last creating request made from a lagging read. */
export class Lag {
  private last: { tag: string; id: string } | undefined;

  made(form: Form, answer: Element): void {
    const tag = IDS[form.action];
    const id = tag && [...below(answer)].find(({ name }) => name === tag)?.text;
    if (tag && id) this.last = { tag, id };
  }

  /** Removes it from an answer. */
  hide(answer: Element): void {
    const { last } = this;
    if (!last) return;
    for (const set of [answer, ...below(answer)]) {
      set.children = set.children.filter((one) => one.name !== 'item' || !isAbout(one, last));
    }
  }
}

const isAbout = (item: Element, { tag, id }: { tag: string; id: string }): boolean =>
  textOf(item, tag) === id ||
  (tag === 'instanceId' &&
    item.children.some((one) => one.name === 'instancesSet' && one.children.some((instance) => textOf(instance, tag) === id)));
