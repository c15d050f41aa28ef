import { Readable } from 'node:stream';
import type { MethodCalls } from '../app/method-calls.generated.js';
import type { METHOD_NAMES } from '../app/method-names.generated.js';
import type { AskedOperation } from '../app/operation/asked.js';
import type { OperationEvent } from '../app/schemas/operation.js';
import { type Client, clientOver } from '../client/client.js';
import { emptyInventory, type Inventory } from '../core/infra/inventory.js';
import type { OperationRequest, OperationResult, Progress } from '../core/operation/operation.js';
import { previewIdOf } from '../core/operation-id.js';
import { homeOf } from '../home/home.js';
import { fakeSecrets } from './fake-secrets.js';
import { Interrupted } from './program/interrupted.js';
import type { Session } from './program/session.js';
import { isMessage } from './session.js';

/** For tests: a session that records its output, with answers from the test. */
export interface FakeSession extends Session {
  /** Text written to standard output (`said`) and to standard error (`complained`). */
  said(): string;
  complained(): string;
  /** Questions that were asked. */
  asked: string[];
  /** Presses Ctrl-C. Without a listener, the next listener is called: a process would have been ended. */
  interrupt(): void;
}

/** Fake answers of methods, by name. */
export type Fakes = {
  [Name in keyof typeof METHOD_NAMES]?: Name extends `${infer Group extends keyof MethodCalls}.${infer Verb}`
    ? Verb extends keyof MethodCalls[Group]
      ? MethodCalls[Group][Verb]
      : never
    : never;
};

/** Answer that presses Ctrl-C instead. */
export const CTRL_C = 'Ctrl-C';

export interface FakeOptions {
  client?: Fakes;
  /** Connects to a worker instead of the fakes. Its failures are those of the session's client. */
  connect?: () => Promise<Client>;
  json?: boolean;
  interactive?: boolean;
  /** Answers to questions in order, including `CTRL_C`. Default: no. */
  answers?: (boolean | string)[];
  stdin?: string;
  root?: string;
  folder?: string;
  /** Default: the folder. */
  cwd?: string;
  environment?: string;
  workspace?: string;
  env?: NodeJS.ProcessEnv;
}

export function fakeSession({
  client = {},
  connect,
  json,
  interactive,
  answers = [],
  stdin = '',
  root = '/nowhere',
  folder,
  cwd = folder ?? root,
  environment,
  workspace = 'default',
  env = {},
}: FakeOptions = {}): FakeSession {
  const texts = { out: '', err: '' };
  const screen = (stream: 'out' | 'err') => ({
    write: (text: string) => {
      texts[stream] += text;
    },
    data: (text: string | Uint8Array) => {
      texts[stream] += Buffer.from(text).toString();
    },
    control: (sequence: string) => {
      texts[stream] += sequence;
    },
    live: false,
    colours: false,
    columns: () => 80,
    rows: () => 24,
  });
  const asked: string[] = [];
  const answer = (question: string): boolean | string | undefined => {
    asked.push(question);
    return answers.shift();
  };
  const messages: string[] = [];
  const home = homeOf({ PROVISIONING_HOME: root });
  const actor = 'ann@desk';
  const fake = fakeClientOf(client, (name, input) => fakeSecrets({ home, env, actor }, client, name, input));
  const connected = connect ?? (async () => fake);
  let stop: (() => void) | undefined;
  let pressed = false;
  return {
    ...(interactive ? { ask: async (question: string) => String(unlessInterrupted(answer(question))) } : {}),
    env,
    home,
    workspace,
    chosen: { name: workspace, by: 'default' },
    actor,
    json: json ?? false,
    folder,
    cwd,
    environment,
    verbose: false,
    out: screen('out'),
    err: screen('err'),
    stdin: Readable.from([Buffer.from(stdin)]),
    interactive: interactive ?? false,
    client: connected,
    begun: () => {},
    engine: connected,
    messages,
    note(text) {
      if (isMessage(text)) messages.push(text);
      screen('err').write(`${text}\n`);
    },
    confirm: async (question) => unlessInterrupted(answer(question)) === true,
    choose: async (question, choices) => {
      const value = answer(question);
      return choices.find((choice) => choice.value === value)?.value;
    },
    hidden: async (question) => String(unlessInterrupted(answer(question))),
    onInterrupt(callback) {
      stop = callback;
      if (pressed) callback();
      return () => {
        stop = undefined;
      };
    },
    close: async () => {},
    said: () => texts.out,
    complained: () => texts.err,
    asked,
    interrupt() {
      if (stop) stop();
      else pressed = true;
    },
  };
}

function unlessInterrupted<T>(answer: T): T {
  if (answer === CTRL_C) throw new Interrupted();
  return answer;
}

const fakeClientOf = (fakes: Fakes, secrets: (name: string, input: unknown) => Promise<unknown>) => {
  const table = fakes as Record<string, (...args: unknown[]) => unknown>;
  const run = (name: string, ...args: unknown[]) => {
    const fake = table[name];
    if (!fake && name.startsWith('secrets.')) return secrets(name, args[0]);
    if (!fake) throw new Error(`the test has no answer to ${name}`);
    return fake(...args);
  };
  return clientOver({
    call: async (name, input) => run(name, input),
    stream: (name, input, options) => run(name, input, options) as AsyncIterable<unknown>,
    close: async () => {},
  });
};

/** Returns a client that records submitted requests. Each operation ends as the test determines. */
export function fakeClient(end: (request: OperationRequest) => OperationEvent[], inventory?: Inventory) {
  const submitted: OperationRequest[] = [];
  const client: Fakes = {
    // Requests in tests have no files.
    'bundles.put': async () => ({ missing: [] }),
    async 'operations.submit'({ request: asked }) {
      const request = { actor: '', ...(asked as AskedOperation) };
      submitted.push(request);
      return { operation: request.id };
    },
    // Submitted requests are recorded as the operation receives them.
    async 'plans.preview'({ request: asked }) {
      const request = { actor: '', ...asked, id: previewIdOf(asked as AskedOperation), check: true };
      submitted.push(request);
      return { operation: request.id };
    },
    'plans.result': async ({ operation }) => ({ result: resultOf({ id: operation, kind: 'cluster' }), places: [], destroys: [] }),
    async 'plans.apply'({ request: asked, hash }) {
      const request = { actor: '', planned: { hash }, ...asked };
      submitted.push(request);
      return { operation: request.id };
    },
    async *'operations.follow'({ operation }) {
      const request = submitted.find(({ id }) => id === operation);
      if (request) yield* end(request);
    },
    'infras.inventory': async ({ infra }) => (inventory?.infra === infra ? inventory : undefined),
    'infras.list': async () => (inventory ? [inventory.infra] : []),
  };
  return { client, submitted };
}

export const resultOf = (request: Pick<OperationRequest, 'id' | 'kind'>, more: Partial<OperationResult> = {}): OperationResult => ({
  operation: request.id,
  kind: request.kind,
  workspace: 'default',
  infra: 'demo',
  status: 'done',
  steps: { executed: 0, planned: 0 },
  services: [],
  plan: [],
  control: [],
  ...more,
});

export const progressOf = (more: Partial<Progress> = {}): Progress => ({
  ...resultOf({ id: 'op', kind: 'cluster' }),
  status: 'running',
  cells: [],
  ...more,
});

export const inventoryNamed = (infra: string): Inventory => emptyInventory({ workspace: 'default', infra, uuid: 'u' });
