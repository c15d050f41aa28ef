import type { Client } from '../../../client/client.js';
import type { Definition } from '../../../core/definition/definition.js';
import { LIMITS } from '../../../core/limits.js';
import type { OperationRequest } from '../../../core/operation/operation.js';

/** A batch is already large, so it exceeds its limit by a smaller factor. */
const TIMES_OF_BATCH = 10;

/** Returns `times` the limit, and at least the limit plus one. */
const over = (limit: number, times: number) => Math.max(limit + 1, Math.floor(limit * times));
const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index)).join('');
const letters = (count: number) => 'ab'.repeat(Math.ceil(count / 2)).slice(0, count);

interface Typed {
  kind?: 'json';
  text: string;
  /** Arguments of the command, with the file's path. Default: `apply`. */
  args?: (path: string) => string[];
  says: RegExp;
}

const start = (infra: string) => `infra: ${infra}\nprovider: demo\n`;
const whole = (infra: string) => `${start(infra)}servers:\n  - name: web\n`;

/** Oversized files and command lines, by the limit that they exceed. */
export const COMMANDS: Readonly<Record<string, (infra: string, times: number) => Typed>> = {
  file: (infra, times) => ({ text: `${whole(infra)}# ${letters(over(LIMITS.file, times))}\n`, says: /at most 1 MiB are read/ }),
  // A larger factor would make the file itself too large.
  fileParts: (infra, times) => ({
    text: `${whole(infra)}a: [${'1,'.repeat(over(LIMITS.fileParts / 2, Math.min(times, 3)))}]\n`,
    says: /more than 250000 names/,
  }),
  fileDepth: (infra, times) => {
    const depth = over(LIMITS.fileDepth, times);
    return { text: `${whole(infra)}a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`, says: /more than 64 levels deep/ };
  },
  fileResolved: (infra, times) => {
    const copies = over(LIMITS.fileResolved / 100_000, times);
    return {
      text: `${whole(infra)}    labels:\n      a: &a ${letters(100_000)}\n${many(copies, (index) => `      l${index}: *a\n`)}`,
      says: /aliases/,
    };
  },
  servers: (infra, times) => ({
    text: `${start(infra)}servers:\n${many(over(LIMITS.servers, times) / 500 + 1, (index) => `  - { name: w${index}, count: 500 }\n`)}`,
    says: /servers in all, at most 5000/,
  }),
  taskservs: (infra, times) => ({
    kind: 'json',
    text: JSON.stringify({
      ...{ infra, provider: 'demo', servers: [{ name: 'web' }] },
      taskservs: Array.from({ length: over(LIMITS.taskservs, times) }, () => 'nginx'),
    }),
    says: /at most 1000 are allowed/,
  }),
  definition: (infra, times) => ({
    text: `${start(infra)}servers: [${many(4, (index) => `{ name: w${index}, count: 500 },`)}]\ntaskservs:\n  - name: users\n    config: { users: [${many(over(170, times), (index) => `{ name: u${index} },`)}] }\n`,
    says: /at most 5 MiB are allowed/,
  }),
  longTexts: (infra, times) => ({
    text: `${start(infra)}servers:\n  - { name: web, count: ${over(10, times)} }\ntaskservs:\n  - name: nginx\n    config:\n      page: ${letters(LIMITS.longTexts / 10)}\n`,
    says: /at most 1 MiB are allowed/,
  }),
  operations: (infra, times) => ({
    text: `batch: all\noperations:\n${many(over(LIMITS.operations, times) / 10_000 + 1, (index) => `  - { name: "o${index}-{i}", kind: cluster, infra: ${infra}, count: 10000 }\n`)}`,
    args: (path) => ['batch', 'submit', path, '--yes'],
    says: /a batch may have 20000/,
  }),
  argument: (infra, times) => ({
    text: whole(infra),
    args: (path) => ['apply', path, '--yes', '--workspace', letters(over(LIMITS.argument, times))],
    says: /characters, at most 4096/,
  }),
};

export type Wish = OperationRequest & { definition: Definition };
type Ask = (client: Client, request: Wish, times: number) => Promise<unknown>;

/** Returns a definition with this configuration of the first taskserv on its first server. */
function configured(definition: Definition, config: object): Definition {
  const changed = structuredClone(definition);
  Object.assign(changed.servers[0]?.taskservs[0]?.config as object, config);
  return changed;
}

/** Returns a definition with too many servers. */
function numerous(definition: Definition, times: number): Definition {
  const [server] = definition.servers;
  if (!server) throw new Error('the definition has no server');
  const bare = { ...server, taskservs: [], volumes: [] };
  return {
    ...definition,
    servers: Array.from({ length: over(LIMITS.servers, times) }, (_, index) => ({ ...bare, name: `w-${index}` })),
  };
}

const short = (bytes: number) => ({ sites: many(Math.ceil(bytes / 1_000), () => `${letters(998)}\n`).split('\n') });
const pageOf = (definition: Definition, times: number) => configured(definition, { page: letters(over(LIMITS.longTexts, times)) });
const shortOf = (definition: Definition, times: number) => configured(definition, short(over(LIMITS.request, times)));

const submitting =
  (change: (definition: Definition, times: number) => Definition): Ask =>
  (client, request, times) =>
    client.operations.submit({ request: { ...request, definition: change(request.definition, times) } });

/** Submits requests as operations of a batch, which carries more than a single request. */
const inBatch =
  (change: (definition: Definition, times: number) => Definition, count = 1): Ask =>
  (client, { id, workspace, infra, definition }, times) =>
    client.batches.submit({
      ...{ id: `batch-${id}`, name: 'all', workspace, actor: 'chaos', parallel: 1, accounts: {}, priority: 3, onFailure: 'keep' },
      operations: Array.from({ length: count }, (_, index) => ({
        ...{ name: `o${index}`, kind: 'cluster', verb: 'ensure', infra, definition: 'it', stage: 0, accounts: [] },
      })),
      definitions: { it: change(definition, times) },
    });

/** Requests over the limits without a file, by the exceeded limit. */
export const REQUESTS: Readonly<Record<string, Ask>> = {
  longTexts: submitting(pageOf),
  request: submitting(shortOf),
  servers: submitting(numerous),
  'longTexts in a batch': inBatch(pageOf),
  'definition in a batch': inBatch(shortOf),
  'servers in a batch': inBatch(numerous),
  operations: inBatch((definition) => definition, LIMITS.operations + 1),
  batch: inBatch((definition, times) => configured(definition, short(over(LIMITS.batch, 1 + (times - 1) / TIMES_OF_BATCH)))),
};
