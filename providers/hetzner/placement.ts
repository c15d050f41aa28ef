import * as z from 'zod';
import type { CreateContext } from '../../sdk/index.js';
import { type PlacementGroup, placementGroup } from './api/shapes.js';
import { nameAndLabels } from './project/labels.js';
import type { Project } from './project/project.js';

/** Ensures the group of a placement, whose servers never share a physical machine. A group has at most ten. */
export function ensurePlacement(project: Project, word: string, context: CreateContext): Promise<PlacementGroup> {
  const about = { what: 'make the placement', on: word };
  return project.ensure('placement', word, context, async () => {
    const body = { ...nameAndLabels('placement', word, context), type: 'spread' };
    return (await project.api.post(z.object({ placement_group: placementGroup }), 'placement_groups', body, about)).placement_group;
  });
}
