import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { type Received, rawTemporal, receivedIn } from '../support/raw-temporal.js';

/** Messages of one workflow that the attacker has read. */
export interface Recording {
  workflowId: string;
  type: string;
  ended: boolean;
  start: Payload[];
  received: Received[];
  activities: { type: string; activityId: string; input: Payload[]; result: Payload[] }[];
}

let read: Promise<Recording[]> | undefined;

/**
 * Reads all histories as they were at the arrival of the attacker. Later histories contain the attacker's runs with
 * the same ids.
 */
export const recordings = (temporal: Client, taskQueue: string): Promise<Recording[]> => {
  read ??= readAll(temporal, taskQueue);
  return read;
};

async function readAll(temporal: Client, taskQueue: string): Promise<Recording[]> {
  const raw = rawTemporal({ temporal, taskQueue });
  const found: Recording[] = [];
  for await (const { workflowId, runId, type, status } of temporal.workflow.list()) {
    const events = await raw.history(workflowId, runId);
    const results = new Map(
      events.map(({ activityTaskCompletedEventAttributes: done }) => [
        String(done?.scheduledEventId),
        done?.result?.payloads ?? [],
      ]),
    );
    const activities = events.flatMap(({ eventId, activityTaskScheduledEventAttributes: asked }) => {
      if (!asked) return [];
      const { activityType, activityId, input } = asked;
      const result = (results.get(String(eventId)) ?? []) as Payload[];
      return [
        { type: activityType?.name ?? '', activityId: activityId ?? '', input: (input?.payloads ?? []) as Payload[], result },
      ];
    });
    const start = (events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []) as Payload[];
    found.push({ workflowId, type, ended: status.name !== 'RUNNING', start, received: receivedIn(events), activities });
  }
  return found;
}
