/** Retention of ended operations in days: the setting of an own engine, and the promise of the docs. */
export const HISTORY_DAYS = 30;

/** Warning about a namespace with a shorter retention. Undefined without one. */
export function shortHistory(namespace: string, days: number | undefined): string | undefined {
  if (days === undefined || days >= HISTORY_DAYS) return undefined;
  const kept = days >= 2 ? `${Math.floor(days)} days` : `${Math.floor(days * 24)} hours`;
  return `the namespace "${namespace}" of the Temporal service forgets what has ended after ${kept}: \`workflow list\`, results and batches reach back as far and not for ${HISTORY_DAYS} days; single operations can be rolled back longer. For all of it: temporal operator namespace update --namespace ${namespace} --retention ${HISTORY_DAYS}d`;
}
