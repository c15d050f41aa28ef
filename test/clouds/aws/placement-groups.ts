import { randomUUID } from 'node:crypto';
import { EC2Error } from './ec2-error.js';
import { type Form, filters, listed, tags } from './form.js';
import { type Element, element } from './xml.js';

interface Group {
  groupName: string;
  groupId: string;
  strategy: string;
  state: 'available';
  tagSet: { key: string; value: string }[];
}

/** Placement groups, which moto lacks: names are unique in a region, and a group with instances cannot be deleted. */
export class PlacementGroups {
  private readonly groups = new Map<string, Group>();
  /** Group by instance. */
  readonly members = new Map<string, string>();

  get names(): string[] {
    return [...this.groups.values()].map(({ groupName }) => groupName);
  }

  answer(form: Form): Element | undefined {
    const name = form.values.get('GroupName') ?? '';
    const key = `${form.region}/${name}`;
    switch (form.action) {
      case 'CreatePlacementGroup': {
        if (this.groups.has(key))
          throw new EC2Error('InvalidPlacementGroup.Duplicate', `The placement group ${name} already exists.`);
        const made: Group = {
          groupName: name,
          groupId: `pg-0${randomUUID().replaceAll('-', '').slice(0, 16)}`,
          strategy: form.values.get('Strategy') ?? 'cluster',
          state: 'available',
          tagSet: tags(form),
        };
        this.groups.set(key, made);
        return element('CreatePlacementGroupResponse', { requestId: randomUUID(), return: true, placementGroup: made });
      }
      case 'DescribePlacementGroups': {
        const found = [...this.groups]
          .filter(([known, group]) => known.startsWith(`${form.region}/`) && matches(group, form))
          .map(([, group]) => group);
        return element('DescribePlacementGroupsResponse', { requestId: randomUUID(), placementGroupSet: found });
      }
      case 'DeletePlacementGroup': {
        if (!this.groups.has(key)) throw new EC2Error('InvalidPlacementGroup.Unknown', `The placement group '${name}' is unknown.`);
        if ([...this.members.values()].includes(name)) {
          throw new EC2Error('InvalidPlacementGroup.InUse', `The placement group '${name}' is in use and may not be deleted.`);
        }
        this.groups.delete(key);
        return element('DeletePlacementGroupResponse', { requestId: randomUUID(), return: true });
      }
      case 'ModifyInstancePlacement': {
        const instance = form.values.get('InstanceId') ?? '';
        if (name) this.require(form, name);
        if (name) this.members.set(instance, name);
        else this.members.delete(instance);
        return element('ModifyInstancePlacementResponse', { requestId: randomUUID(), return: true });
      }
      default:
        return undefined;
    }
  }

  /** Rejects a group that does not exist. */
  require({ region }: Form, name: string): void {
    if (!this.groups.has(`${region}/${name}`))
      throw new EC2Error('InvalidPlacementGroup.Unknown', `The placement group '${name}' is unknown.`);
  }
}

function matches(group: Group, form: Form): boolean {
  const names = listed(form, 'GroupName');
  if (names.length > 0 && !names.includes(group.groupName)) return false;
  return [...filters(form)].every(([name, values]) => {
    if (name === 'group-name') return values.includes(group.groupName);
    if (name === 'state') return values.includes(group.state);
    if (name === 'tag-key') return group.tagSet.some(({ key }) => values.includes(key));
    if (name.startsWith('tag:')) return group.tagSet.some(({ key, value }) => key === name.slice(4) && values.includes(value));
    throw new EC2Error('InvalidParameterValue', `The filter '${name}' is invalid`);
  });
}
