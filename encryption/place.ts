import type { SerializationContext } from '@temporalio/common';

/**
 * Whose payload it is, as text: of a workflow, or of one of its activities. What
 * is sealed for one place opens in no other. Empty for what belongs to nobody:
 * the failure of a workflow's task, which only people read.
 */
export function placeOf(context: SerializationContext | undefined): string {
  if (!context) return '';
  if (context.type === 'workflow') return JSON.stringify(['workflow', context.workflowId]);
  return JSON.stringify(['activity', context.workflowId ?? '', context.activityId ?? '']);
}
