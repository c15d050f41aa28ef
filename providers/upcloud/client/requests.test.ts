import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { upcloudClient } from './index.js';
import { allRequests, ID, type Row } from './recordings/all-requests.js';
import { readRecording, recordingsFolder } from './recordings/replay.js';

interface Asked {
  request: string;
  body: unknown;
}

/** Returns the first request of a call, with `{}` instead of its parameters. */
async function asked([, make]: Row): Promise<Asked | undefined> {
  let seen: Asked | undefined;
  const client = upcloudClient({
    credentials: { token: 'ucat_test' },
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const path = pathname.replace('/1.3', '').replaceAll(new RegExp(`(?<=/)${ID}(?=/|$)`, 'g'), '{}');
      seen ??= { request: `${init?.method} ${path}${search}`, body: init?.body ? JSON.parse(String(init.body)) : undefined };
      throw new Error('seen');
    },
  });
  await make(client).catch((error: Error) => expect(error.message).toContain('seen'));
  return seen;
}

/** Lists all calls of a client as `part.call`. Waits use `read`, and `http` is for requests without a call. */
function callsOf(client: object, prefix = ''): string[] {
  return Object.entries(client).flatMap(([name, value]) => {
    const full = `${prefix}${name}`;
    if (full === 'http' || name.startsWith('wait')) return [];
    if (typeof value !== 'function') return callsOf(value, `${full}.`);
    return FOLDERS.includes(full) ? callsOf(value(ID, ID), `${full}.`) : [full];
  });
}
const FOLDERS = ['backends', 'members', 'frontends', 'rules', 'resolvers'].map((part) => `loadBalancers.${part}`);

const withoutQuery = (request: string) => request.replace(/\?.*$/, '');
/** Replaces numbers and addresses with `{}` too, as in the specification. */
const filled = (request: string) => withoutQuery(request).replace(/\/(\d+|[0-9a-f:]+::\d+)(?=\/|$)/g, '/{}');
const pattern = (request: string) => new RegExp(`^${filled(request).replaceAll('{}', '[^/]+')}$`);

/** Requests from the vendor's documentation and clients that are missing in the specification and in our recordings. */
const DOCUMENTED = [
  'GET /server',
  'POST /server/{}/relocate',
  'POST /server/{}/tag/web,DEV',
  'POST /server/{}/untag/web',
  'GET /storage/template',
  'GET /account/details/{}',
];

describe('every request of the client', () => {
  it('is in the table, each call at least once', () => {
    const all = callsOf(upcloudClient({ credentials: { token: 'ucat_test' } }));
    expect([...new Set(allRequests.map(([call]) => call))].sort()).toEqual(all.sort());
  });

  it.each(allRequests.map((row) => [row[2], row] as const))('%s is asked for as the table has it', async (request, row) => {
    const seen = await asked(row);
    expect(seen?.request).toBe(request);
    if (row.length > 3) expect(seen?.body).toEqual(row[3]);
  });
});

const file = resolve(recordingsFolder, '../upcloud-openapi-facts/operations.json');
const there = existsSync(file) && existsSync(recordingsFolder);

describe.skipIf(!there)('every request, compared with what UpCloud says', () => {
  const specified = new Set(
    there
      ? (JSON.parse(readFileSync(file, 'utf8')).operations as { method: string; path: string }[]).map(
          ({ method, path }) => `${method} ${path.replace('/1.3', '')}`,
        )
      : [],
  );
  const names = there ? readdirSync(recordingsFolder).filter((name) => /^[a-z].*\.json$/.test(name)) : [];
  const recorded = names
    .flatMap((name) => readRecording(name.replace('.json', '')))
    .map(({ request }) => withoutQuery(`${request.method} ${request.path.replace('/1.3', '')}`));
  const isRecorded = (request: string) => recorded.some((one) => pattern(request).test(one));
  const isSpecified = (request: string) => specified.has(filled(request));

  it('is specified or recorded as it is, slash included, or documented and named here with its body', () => {
    const unknown = allRequests.filter(([, , request]) => !isSpecified(request) && !isRecorded(request));
    expect(unknown.map(([, , request]) => request)).toEqual(DOCUMENTED);
    const written = unknown.filter(([, , request]) => !request.startsWith('GET'));
    expect(written.filter((row) => row.length < 4)).toEqual([]);
  });

  it('that no recording has is named as such on the page about the recordings', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/clouds/upcloud-recordings.md'), 'utf8');
    const [, list = ''] = page.split('## What is not in any recording\n\n');
    const named = [...(list.split('\n')[0] ?? '').matchAll(/`([\w.]+)`/g)].map(([, call]) => call);
    const played = new Set(allRequests.filter(([, , request]) => isRecorded(request)).map(([call]) => call));
    const others = new Set(allRequests.map(([call]) => call).filter((call) => !played.has(call)));
    expect(named.sort()).toEqual([...others].sort());
  });

  it('would be found out with a slash that nobody recorded, and without one that was', () => {
    const known = (request: string) => isSpecified(request) || isRecorded(request);
    expect(known('DELETE /storage/{}/?backups=delete')).toBe(false);
    expect(known('DELETE /storage/{}?backups=delete')).toBe(true);
    expect(known('DELETE /server/{}/?storages=1')).toBe(true);
    expect(known('GET /network/?zone=a')).toBe(true);
    expect(known('GET /router/')).toBe(false);
  });
});
