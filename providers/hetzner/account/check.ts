import type { AccountReport } from '../../../sdk/index.js';
import { page } from '../api/shapes.js';
import { FIELDS, type Project } from '../project/project.js';

/** Returns the permissions of the token and the use of the project's limits, as far as the API reports them. */
export async function checkProject({ api }: Project, signal?: AbortSignal): Promise<AccountReport> {
  const counted = ['server', 'network', 'volume', 'address', 'firewall', 'placement'] as const;
  const used = await Promise.all(
    counted.map(async (kind) => {
      const asked = { what: `count the ${FIELDS[kind].replace('_', ' ')}`, on: 'Hetzner Cloud', signal };
      return (await api.get(page, FIELDS[kind], { per_page: 1 }, asked)).meta.pagination.total_entries ?? undefined;
    }),
  );
  const requests = api.budget.known();
  return {
    identity: `the project that the token belongs to (the API does not say its name), with ${used[0] ?? 'unknown'} servers`,
    abilities: [
      { what: 'read', allowed: true },
      { what: 'make, change and delete', why: 'the permission of a token only shows with the first change' },
    ],
    limits: [
      ...(requests ? [{ what: 'requests an hour', used: requests.limit - requests.remaining, limit: requests.limit }] : []),
      ...counted.map((kind, index) => ({ what: FIELDS[kind].replace('_', ' '), used: used[index] })),
    ],
  };
}
