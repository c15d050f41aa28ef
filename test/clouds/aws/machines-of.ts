import type { Hosts, Machine } from '../machines.js';
import { newMachine } from '../machines.js';
import type { Form } from './form.js';
import { below, child, type Element, textOf } from './xml.js';

/**
 * Hosts behind moto's instances. They follow the requests for the instances, and their addresses replace moto's in
 * answers.
 */
export class Machines {
  private readonly machines = new Map<string, Machine>();
  private readonly told = new Map<string, string>();
  /** Owners of moto's public addresses. */
  private readonly owners = new Map<string, string>();
  /** VXLAN number by VPC: machines of a VPC reach each other by their private addresses. */
  private readonly networks = new Map<string, number>();

  constructor(private readonly hosts: Hosts) {}

  /** Creates a machine for each new instance. */
  async made(answer: Element, form: Form): Promise<void> {
    const userData = Buffer.from(form.values.get('UserData') ?? '', 'base64').toString('utf8');
    for (const instance of instancesIn(answer)) {
      const id = textOf(instance, 'instanceId') ?? '';
      const machine = await newMachine({ name: id, userData, hosts: this.hosts });
      this.machines.set(id, machine);
      this.told.set(id, userData);
      const vpc = textOf(instance, 'vpcId') ?? '';
      if (!this.networks.has(vpc)) this.networks.set(vpc, 300 + this.networks.size);
      if (this.hosts === 'docker') {
        await machine.join(this.networks.get(vpc) ?? 300, `${textOf(instance, 'privateIpAddress')}/16`);
      }
      machine.start().catch(report);
    }
  }

  async changed({ action }: Form, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const machine = this.machines.get(id);
      if (action === 'StartInstances') machine?.start().catch(report);
      if (action === 'StopInstances') await machine?.stop();
      if (action === 'TerminateInstances') {
        await machine?.remove();
        this.machines.delete(id);
      }
    }
  }

  /** Returns the user data of an instance's first boot. */
  userData(id: string): string {
    return this.told.get(id) ?? '';
  }

  /** Records the owners of moto's addresses. */
  seen(answer: Element): void {
    for (const instance of instancesIn(answer)) {
      const [id, address] = [textOf(instance, 'instanceId'), textOf(instance, 'ipAddress')];
      if (id && address) this.owners.set(address, id);
    }
  }

  /** Records that an elastic address now belongs to an instance. */
  points(address: string, instance: string): void {
    this.owners.set(address, instance);
  }

  /** Returns the answer with the machines' addresses instead of moto's. */
  addressed(text: string): string {
    if (this.hosts === 'none') return text;
    return text.replaceAll(/>(\d+\.\d+\.\d+\.\d+)</g, (whole, address: string) => {
      const machine = this.machines.get(this.owners.get(address) ?? '');
      return machine ? `>${machine.address}<` : whole;
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.machines.values()].map((machine) => machine.remove()));
  }
}

/** Returns all elements that are instances. */
export function instancesIn(answer: Element): Element[] {
  return [...below(answer)]
    .filter((one) => one.name === 'instancesSet')
    .flatMap(({ children }) => children)
    .filter((one) => child(one, 'instanceId'));
}

const report = (error: unknown) => console.error('a machine of the stand-in does not start:', error);
