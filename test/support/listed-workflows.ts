import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

/** As Temporal's API numbers them. */
const STATUS = { Running: 1, Completed: 2, Failed: 3, Canceled: 4, Terminated: 5, ContinuedAsNew: 6, TimedOut: 7 } as const;

/** A workflow of an operation as Temporal lists it. */
export interface ListedForTest {
  id: string;
  run: string;
  kind: string;
  workspace: string;
  infra: string;
  actor: string;
  /** Status that the operation reports. Absent without one. */
  says?: string;
  attention?: string;
  status: keyof typeof STATUS;
  /** In milliseconds since 1970. */
  started: number;
  closed?: number;
}

/**
 * A client whose lists are those of Temporal's visibility over these workflows, in its order and with its tokens. It knows the
 * conditions that the platform's lists are made of, and refuses others.
 */
export function clientListing(workflows: readonly ListedForTest[]): Client {
  const matching = (query: string) =>
    workflows.filter((one) => splitTerms(query).every((term) => fulfils(one, term))).sort(newestFirst);
  const workflowService = {
    async listWorkflowExecutions({ query, pageSize = 1_000, nextPageToken }: Asked) {
      const after = nextPageToken?.length
        ? (JSON.parse(Buffer.from(nextPageToken).toString()).SearchAfter[0] as string)
        : undefined;
      const left = matching(query).filter((one) => after === undefined || placeOf(one) < after);
      const page = left.slice(0, pageSize);
      const last = page.at(-1);
      const token = last && left.length > page.length ? Buffer.from(JSON.stringify({ SearchAfter: [placeOf(last)] })) : undefined;
      return { executions: page.map(executionOf), nextPageToken: token };
    },
    countWorkflowExecutions: async ({ query }: Asked) => ({ count: { toNumber: () => matching(query).length }, groups: [] }),
  };
  return new Client({ connection: { workflowService } as never });
}

interface Asked {
  query: string;
  pageSize?: number;
  nextPageToken?: Uint8Array;
}

const placeOf = ({ closed, started, run }: ListedForTest): string =>
  [closed === undefined ? '~' : String(closed).padStart(16, '0'), String(started).padStart(16, '0'), run].join(' ');
const newestFirst = (a: ListedForTest, b: ListedForTest): number => (placeOf(a) < placeOf(b) ? 1 : -1);

const splitTerms = (query: string): string[] => query.split(/ AND (?![^(]*\))/);

function fulfils(workflow: ListedForTest, term: string): boolean {
  if (term.startsWith('('))
    return term
      .slice(1, -1)
      .split(' OR ')
      .some((one) => fulfils(workflow, one));
  const [, name = '', operator = '', text = ''] = /^(\w+) (NOT IN|IN|NOT STARTS_WITH|STARTS_WITH|!=|=|>=|<) (.+)$/.exec(term) ?? [];
  const value = readField(workflow, name);
  const texts = [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, one = '']) => one.replaceAll("''", "'"));
  const [first = ''] = texts;
  switch (operator) {
    case 'IN':
      return value !== undefined && texts.includes(value);
    case 'NOT IN':
      return value === undefined || !texts.includes(value);
    case 'STARTS_WITH':
      return value?.startsWith(first) === true;
    case 'NOT STARTS_WITH':
      return value?.startsWith(first) !== true;
    case '=':
      return value === first;
    case '!=':
      return value !== first;
    case '>=':
      return value !== undefined && value >= first;
    case '<':
      return value !== undefined && value < first;
    default:
      throw new Error(`the test's visibility does not know: ${term}`);
  }
}

function readField(workflow: ListedForTest, name: string): string | undefined {
  const values: Record<string, string | undefined> = {
    WorkflowId: workflow.id,
    ExecutionStatus: workflow.status,
    // As Temporal compares one that is open.
    CloseTime: workflow.closed === undefined ? '9999-12-31T23:59:59.000Z' : new Date(workflow.closed).toISOString(),
    ...attributesOf(workflow),
  };
  if (!Object.hasOwn(values, name)) throw new Error(`the test's visibility has no ${name}`);
  return values[name];
}

const attributesOf = ({ kind, workspace, infra, actor, says, attention }: ListedForTest) => ({
  ProvisioningKind: kind,
  ProvisioningWorkspace: workspace,
  ProvisioningInfra: infra,
  ProvisioningActor: actor,
  ProvisioningStatus: says,
  ProvisioningAttention: attention,
});

function executionOf(workflow: ListedForTest) {
  const fields = Object.entries(attributesOf(workflow)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { metadata: {}, data: Buffer.from(JSON.stringify(value)) }]],
  );
  return {
    execution: { workflowId: workflow.id, runId: workflow.run },
    type: { name: workflow.kind },
    status: STATUS[workflow.status],
    startTime: msToTs(workflow.started),
    closeTime: workflow.closed === undefined ? undefined : msToTs(workflow.closed),
    taskQueue: 'q',
    memo: {},
    searchAttributes: { indexedFields: Object.fromEntries(fields) },
    historyLength: msToTs(1_000).seconds,
  };
}
