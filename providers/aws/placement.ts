import type { PlacementGroup } from '@aws-sdk/client-ec2';
import type { CallContext } from '../../sdk/index.js';
import type { Ask } from './ec2/region.js';
import { assertOurs, createMarkFilters, ownName, ownTags, tagSpecification } from './ec2/tags.js';
import { unless } from './errors.js';

/** Finds or creates the spread group of a placement. Its name is unique, so that it is never created twice. */
export async function ensurePlacement(ask: Ask, word: string, context: CallContext & { key: string }): Promise<string> {
  const GroupName = placementName(word, context);
  const { PlacementGroups = [] } = await ask((ec2, options) =>
    ec2.describePlacementGroups({ Filters: [{ Name: 'group-name', Values: [GroupName] }] }, options),
  );
  for (const { Tags } of PlacementGroups) assertOurs(context.scope, 'placement', word, Tags);
  if (PlacementGroups.some(({ State }) => State === 'available' || State === 'pending')) return GroupName;
  const TagSpecifications = tagSpecification('placement-group', ownTags(context, 'placement', word));
  await unless(
    ['InvalidPlacementGroup.Duplicate'],
    ask((ec2, options) => ec2.createPlacementGroup({ GroupName, Strategy: 'spread', TagSpecifications }, options)),
  );
  return GroupName;
}

export const placementName = (word: string, { scope }: Pick<CallContext, 'scope'>): string => ownName(scope, 'placement', word);

/** Lists the groups of an infra, or the one of a placement. */
export async function listPlacements(ask: Ask, { scope }: CallContext, word?: string): Promise<PlacementGroup[]> {
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid, kind: 'placement', name: word });
  const { PlacementGroups = [] } = await ask((ec2, options) => ec2.describePlacementGroups({ Filters }, options));
  return PlacementGroups.filter(({ State }) => State !== 'deleted' && State !== 'deleting');
}

/** Deletes a group without servers. A group in use stays. */
export async function leavePlacement(ask: Ask, GroupName: string | undefined): Promise<void> {
  if (!GroupName) return;
  await unless(
    ['InvalidPlacementGroup.InUse', 'InvalidPlacementGroup.Unknown'],
    ask((ec2, options) => ec2.deletePlacementGroup({ GroupName }, options)),
  );
}
